// Stakes of our wallets: each change is booked once as a move between accounts of the wallet, so staked, unstaked and withdrawn coin is
// explained, and neither a second worker nor a reading of another response books or compares it wrongly.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readWalletBalances } from '@/lib/ledger/balances';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { readBooks } from '@/lib/ledger/proofs/books';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testContext } from '@/testing/fixtures';
import { readCoinChecks } from './checks';
import { readStakes, storeStake } from './stakes';
import { coinStep } from './step';

const [SPONSOR, WALLET] = ['TSponsor', 'TRefundWallet'];
const clock = new TestClock();
let db: TestDatabase;
let chainId: number;

beforeAll(async () => {
  db = await openTestDatabase();
  chainId = await makeChain(db, 'tron', clock.now().getTime() / 1000);
});
afterAll(() => db.close());
beforeEach(() =>
  transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      'TRUNCATE coin_stakes, coin_checks, coin_months, wallet_balances, sweep_states, ledger_entries, ledger_postings, ledger_balances',
    );
  }),
);

const run = () => coinStep(testContext(db, clock));

/** The sponsor's coin, as the worker stores it. */
const storeCoin = (coin: bigint) =>
  db.pool.query(
    `INSERT INTO sweep_states (environment, network, treasury, sponsor, coin, fees_per_hour, fees_last_hour, read_at)
     VALUES ('test', 'tron', 'TTreasury', $1, $2, 1, 1, $3)
     ON CONFLICT (environment, network) DO UPDATE SET coin = EXCLUDED.coin, read_at = EXCLUDED.read_at`,
    [SPONSOR, coin, clock.now()],
  );
const store = (stake: { staked?: bigint; unstaking?: bigint }, address = SPONSOR) => {
  const { staked = 0n, unstaking = 0n } = stake;
  const withdrawableAt = unstaking > 0n ? new Date('2027-02-01T00:00:00Z') : null;
  return storeStake(db.pool, {
    ...{ chainId, address, stake: { staked, unstaking, withdrawableAt } },
    readAt: clock.now(),
  });
};

/** The worker reads the sponsor, and a second later the step books and compares. Returns what is not explained. */
async function reads(coin: bigint, stake: { staked?: bigint; unstaking?: bigint } = {}) {
  clock.advance(60);
  await store(stake);
  await storeCoin(coin);
  clock.advance(1);
  await run();
  const [check] = await readCoinChecks(db.pool);
  return check && { came: check.came, went: check.went };
}

async function balances(): Promise<Record<string, bigint>> {
  const { rows } = await db.pool.query<{ account: string; amount: string }>(
    `SELECT account, amount::text AS amount FROM ledger_balances WHERE network = 'tron' AND currency = 'TRX' AND amount <> 0`,
  );
  return Object.fromEntries(rows.map(({ account, amount }) => [account, BigInt(amount)]));
}
const sources = async () =>
  (await db.pool.query('SELECT coin_source, created_at FROM ledger_entries ORDER BY id')).rows;
const broken = async () => (await checkBooks(db.pool)).filter(({ id, count }) => id.startsWith('INV-2') && count > 0);
const [STAKED, BEFORE] = [`fee_coin:staked:${SPONSOR}`, 'fee_coin:staked_before'];
const EXPLAINED = { came: 0n, went: 0n };

describe('coin of a wallet', () => {
  it('that is staked, unstaked and withdrawn is explained, and each move is an entry at the time of its reading', async () => {
    expect(await reads(5000n)).toEqual(EXPLAINED);
    expect(await sources()).toEqual([]);
    expect(await reads(4000n, { staked: 1000n })).toEqual(EXPLAINED);
    const stakedAt = new Date(clock.now().getTime() - 1000);
    expect(await balances()).toEqual({ [`fee_coin:${SPONSOR}`]: -1000n, [STAKED]: 1000n });
    expect(await reads(4000n, { staked: 300n, unstaking: 700n })).toEqual(EXPLAINED);
    expect(await balances()).toMatchObject({ [STAKED]: 1000n });
    expect(await reads(4700n, { staked: 300n })).toEqual(EXPLAINED);
    expect(await balances()).toEqual({ [`fee_coin:${SPONSOR}`]: -300n, [STAKED]: 300n });
    expect(await sources()).toMatchObject([{ created_at: stakedAt }, {}]);
    expect(await broken()).toEqual([]);
  });

  it('that comes or goes otherwise is still not explained: rewards for votes came, a transfer went', async () => {
    await reads(5000n);
    expect(await reads(4050n, { staked: 1000n })).toEqual({ came: 50n, went: 0n });
    expect(await reads(4020n, { staked: 1000n })).toEqual({ came: 50n, went: 30n });
    expect(await broken()).toEqual([]);
  });

  it('that was staked before the first reading neither came nor went, and comes back as the wallet’s own', async () => {
    // A version that read no stakes has compared the wallet.
    await storeCoin(5000n);
    await run();
    expect(await reads(5000n, { staked: 800n })).toEqual(EXPLAINED);
    expect(await balances()).toEqual({ [STAKED]: 800n, [BEFORE]: -800n });
    expect(await reads(5800n)).toEqual(EXPLAINED);
    expect(await balances()).toEqual({ [`fee_coin:${SPONSOR}`]: 800n, [BEFORE]: -800n });
    expect(await broken()).toEqual([]);
  });

  it('is compared only with the stake of the same response', async () => {
    await reads(5000n);
    clock.advance(60);
    // A worker of the version before stores no stakes.
    await storeCoin(4000n);
    clock.advance(1);
    await run();
    expect(await readCoinChecks(db.pool)).toMatchObject([EXPLAINED]);
    clock.advance(60);
    // The process that reads both has stored the first of them.
    await store({ staked: 1000n });
    await run();
    expect(await readCoinChecks(db.pool)).toMatchObject([EXPLAINED]);
    expect(await reads(3990n, { staked: 1000n })).toEqual({ came: 0n, went: 10n });
  });

  it('is compared at once after its stake was booked', async () => {
    await reads(5000n);
    await reads(4000n, { staked: 1000n });
    clock.advance(1);
    await store({ staked: 1000n });
    await storeCoin(3999n);
    await run();
    expect(await readCoinChecks(db.pool)).toMatchObject([{ came: 0n, went: 1n }]);
  });
});

describe('a change of a stake', () => {
  it('is booked once by several workers, and each later one again', async () => {
    await store({ staked: 10n });
    await store({ staked: 7n }, WALLET);
    await Promise.all([run(), run(), run()]);
    await run();
    clock.advance(60);
    await store({ staked: 4n });
    await Promise.all([run(), run()]);
    clock.advance(60);
    await store({ staked: 10n });
    await run();
    const entries = (await sources()).map(({ coin_source: source }) => source);
    expect(entries).toHaveLength(4);
    expect(new Set(entries)).toEqual(
      new Set([`stake:${chainId}:${WALLET}:1`, ...[1, 2, 3].map((number) => `stake:${chainId}:${SPONSOR}:${number}`)]),
    );
    expect(await balances()).toMatchObject({ [STAKED]: 10n, [`fee_coin:staked:${WALLET}`]: 7n, [BEFORE]: -17n });
    expect(await broken()).toEqual([]);
  });

  it('is not undone by an older reading that is stored late', async () => {
    await store({ staked: 10n });
    clock.advance(-5);
    await store({ staked: 3n });
    clock.advance(5);
    await run();
    expect(await balances()).toMatchObject({ [STAKED]: 10n });
  });

  it('is no cost and no token: neither the months, the operator’s balances nor a proof of reserves have it', async () => {
    await reads(5000n, { staked: 700n });
    await reads(4000n, { staked: 1700n });
    expect((await db.pool.query('SELECT FROM coin_months')).rowCount).toBe(0);
    expect(await readWalletBalances(db.pool, 'test', () => expect.fail('a coin is no token'))).toEqual([]);
    expect((await readBooks(testContext(db, clock), 'test')).assets).toEqual([]);
  });
});

it('a stake is shown while it is there and the wallet is read', async () => {
  await store({ staked: 5n, unstaking: 6n });
  await store({}, WALLET);
  const shown = { staked: 5n, unstaking: 6n, withdrawableAt: new Date('2027-02-01T00:00:00Z') };
  expect(await readStakes(db.pool, clock.now())).toEqual([{ chainId, address: SPONSOR, stake: shown }]);
  clock.advance(86_401);
  expect(await readStakes(db.pool, clock.now())).toEqual([]);
});
