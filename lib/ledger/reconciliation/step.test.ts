import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BalanceReader, FinalBalance, BalanceRequest } from '@/lib/networks/endpoints/balances-reader';
import { ChainError } from '@/lib/networks/chain';
import { NETWORKS, type NetworkSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { readRefundWallet } from '@/lib/ledger/balances';
import { postFunding } from '@/lib/ledger/post-refund';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import type { SignerState } from '@/lib/signer/client';
import { readMetrics } from '@/lib/installation/metrics/metrics';
import { explainDiscrepancy, readDiscrepancies } from './discrepancies';
import { reconcileWith } from './step';

const START = 1_800_000_000;
const WALLET = '0x00000000000000000000000000000000000000aa';
const USD = 1_000_000n;
const local = NETWORKS.find((row) => row.network === 'ethereum' && row.chain === 'local') as NetworkSpec;
/** The test network has no USDT of its own. */
const specOf = (chain: NetworkSpec['chain']): NetworkSpec => ({ ...local, chain });

let db: TestDatabase;
let clock: TestClock;
let context: Context;
let storeId: string;
let chainId: number;
let genesis: string;
let tip: number;
let wallet: bigint;
let others: Map<string, bigint>;
let frozen: string[];
let readings: BalanceRequest[][];
let duringReading: () => Promise<void>;
let step: (times?: number, watched?: () => number) => Promise<void>;

const block = (number: number) => ({ number, hash: `0x${number}`, parentHash: '0x', time: START + number });
const reader: BalanceReader = {
  most: 4,
  async tokens(holdings, currency) {
    if (currency === 'USDC') return new Map(holdings.map(({ address }) => [address, heldOf(0n)]));
    if (!holdings.some(({ address }) => address === WALLET)) readings.push([...holdings]);
    const found = new Map(
      holdings.map(({ address }) => [address, heldOf(address === WALLET ? wallet : (others.get(address) ?? 0n))]),
    );
    await duringReading();
    return found;
  },
  feeCoin: async () => ({ amount: 1_500_000_000_000_000_000n, stake: null }),
};
const heldOf = (amount: bigint): FinalBalance => ({ amount, from: block(tip), through: block(tip) });
const signer = {
  state: async () => ({ wallets: { test: { evm: WALLET }, live: { evm: WALLET } } }) as unknown as SignerState,
  freeze: async (reason: string) => void frozen.push(reason),
};
const chainOf = (spec: NetworkSpec): FollowedChain => ({
  environment: spec.environment,
  network: 'ethereum',
  spec,
  adapter: { genesis: async () => genesis } as unknown as FollowedChain['adapter'],
});

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock(START);
  context = testContext(db, clock, testConfig());
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  ({ storeId } = await makeStore(db, context.config));
  [tip, wallet, others, frozen, readings] = [90, 0n, new Map(), [], []];
  duringReading = async () => {};
  await useChain('mainnet');
});

async function useChain(kind: NetworkSpec['chain']): Promise<void> {
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  chainId = await makeChain(db, 'ethereum', START);
  genesis = (await db.prisma.chain.findUniqueOrThrow({ where: { id: chainId } })).genesis;
  // Each run is later, on a later block that the watcher has passed, and in a new process, as under cron.
  step = async (times = 1, watched = () => tip) => {
    for (let left = times; left > 0; left--) {
      clock.advance(400);
      tip += 10;
      await db.pool.query('UPDATE chains SET tip_number = $2, final_number = $2 WHERE id = $1', [chainId, watched()]);
      await reconcileWith(chainOf(specOf(kind)), { reader, signer })(context);
    }
  };
  // The ledger starts every test with the wallet's actual balance.
  const books = await ledger();
  if (books !== wallet) await fund(wallet - books);
}
const asset = { environment: 'test', network: 'ethereum', currency: 'USDT' } as const;
const ledger = () => readRefundWallet(db.pool, asset);
const fund = (amount: bigint) => transaction(db.pool, (tx) => postFunding(tx, 'test', { ...asset, amount }));
const open = async () =>
  (await readDiscrepancies(context, { isOpenOnly: true })).filter((one) => one.chainId === chainId);

let index = 7_000_000;
async function session(): Promise<{ id: string; address: string }> {
  const [id, address] = [`cs_test_${randomUUID()}`, `0x${randomUUID()}`];
  await db.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address)
     VALUES ($1, $2, 'test', $1, 500, 'USDT', 500, '{USDT}', '{ethereum}', $3, $3, $4, $5, $1, $1)`,
    [id, storeId, clock.now(), ++index, address],
  );
  return { id, address };
}
async function received(amount: bigint, blockNumber = 50): Promise<string> {
  const { id, address } = await session();
  await db.pool.query(
    `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
       currency, contract, payer, recipient, amount, decimals)
     VALUES ($1, 'ethereum', $2, $3, 0, $4, '0xb', $5, 'USDT', '0xc', '0xp', $6, $7, 6)`,
    [chainId, id, randomUUID(), blockNumber, clock.now(), address, amount.toString()],
  );
  others.set(address, (others.get(address) ?? 0n) + amount);
  return address;
}
/** A refund of these cents whose transaction is sent. Returns its attempt. */
async function sent(cents: number, signedAt = START): Promise<string> {
  const { id: sessionId } = await session();
  const id = `re_${randomUUID()}`;
  await db.pool.query(
    `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network,
       request_hash, day, created_at, sign_after, destination, destination_kind, destination_reference, signature_requested_at)
     VALUES ($1, $2, 'test', $1, $3, $3, 'processing', $4, 'USDT', 'ethereum', '', $5::date, $5::timestamptz, $5::timestamptz,
       '0xd', 'payer', 'r', $5::timestamptz)`,
    [id, storeId, sessionId, cents, clock.now()],
  );
  const { rows } = await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at)
     VALUES ($1, 1, $2, 'sent', '{}', $1, '0x', '{}', $3, $3) RETURNING id`,
    [id, chainId, new Date(signedAt * 1000)],
  );
  return rows[0].id;
}
const end = (id: string, blockNumber: number) =>
  db.pool.query(`UPDATE refund_attempts SET status = 'landed', ended_at = now(), block_number = $2 WHERE id = $1`, [
    id,
    blockNumber,
  ]);

describe('the refund wallet', () => {
  it('with more than the ledger’s balance is posted as funding after two readings', async () => {
    wallet = 50n * USD;
    await step();
    expect(await ledger()).toBe(0n);
    await step();
    expect(await ledger()).toBe(50n * USD);
    await step(3);
    expect(await ledger()).toBe(50n * USD);
    expect([await open(), frozen]).toEqual([[], []]);
  });

  it('with less than the ledger’s balance in two readings is a discrepancy, and freezes signing until it is explained', async () => {
    await fund(50n * USD);
    wallet = 50n * USD - 1n;
    await step();
    expect([await open(), frozen]).toEqual([[], []]);
    await step();
    const [difference] = await open();
    expect(difference).toMatchObject({ address: WALLET, currency: 'USDT', expected: 50n * USD, found: 50n * USD - 1n });
    expect(frozen).toEqual(['the refund wallet on ethereum (test) holds less USDT than the ledger says']);
    // An operator who unfreezes the signer without an explanation finds it frozen again.
    await step();
    expect([(await open()).length, frozen.length]).toEqual([1, 2]);
    const said = { id: difference!.id, note: 'paid out by hand' };
    expect(await explainDiscrepancy(context, said)).toMatchObject({ note: 'paid out by hand' });
    expect(await explainDiscrepancy(context, said)).toBeNull();
    // The web process may not write it into the ledger; the worker does.
    expect(await ledger()).toBe(50n * USD);
    await step(2);
    expect(await ledger()).toBe(50n * USD - 1n);
    expect([await open(), frozen.length]).toEqual([[], 2]);
  });

  it('on a public test network with a lower balance stops nothing, and the discrepancy is reported', async () => {
    await useChain('testnet');
    await fund(50n * USD);
    wallet = 50n * USD - 1n;
    await step(3);
    expect([(await open()).length, frozen]).toEqual([1, []]);
  });

  it('may hold less by the payments in flight, and not by a unit more', async () => {
    await fund(50n * USD);
    await sent(7_00);
    wallet = 43n * USD;
    await step(3);
    expect([await open(), frozen]).toEqual([[], []]);
    wallet = 43n * USD - 1n;
    await step(2);
    expect([(await open()).length, frozen.length]).toEqual([1, 1]);
  });

  it('may hold less by a draft, which may have been signed and landed long before a restore', async () => {
    await fund(50n * USD);
    const id = await sent(7_00);
    await db.pool.query(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, drafted_at)
       SELECT intent_id, 2, chain_id, 'drafted', draft, drafted_at FROM refund_attempts WHERE id = $1`,
      [id],
    );
    await db.pool.query(`UPDATE refund_attempts SET status = 'lapsed', ended_at = now() WHERE id = $1`, [id]);
    wallet = 43n * USD;
    await step(3);
    expect([await open(), frozen]).toEqual([[], []]);
  });

  it('is not explained by payments that were signed after the block of the reading', async () => {
    await fund(50n * USD);
    await sent(7_00, START + 1_000_000);
    wallet = 43n * USD;
    await step(2);
    expect(await open()).toHaveLength(1);
  });

  it('cannot be stopped by a stranger who sends it coins while payments land', async () => {
    await fund(50n * USD);
    await sent(7_00);
    wallet = 43n * USD + 1n;
    await step(3);
    expect([await open(), frozen, await ledger()]).toEqual([[], [], 50n * USD]);
  });

  it('is not judged while our own payments change, or by a block before the last landed payment', async () => {
    await fund(50n * USD);
    wallet = 40n * USD;
    let attempt = '';
    duringReading = async () => {
      attempt = await sent(1_00);
    };
    await step(3);
    expect([await open(), frozen]).toEqual([[], []]);
    duringReading = async () => {};
    await end(attempt, 1_000_000);
    await step(3);
    expect([await open(), frozen]).toEqual([[], []]);
  });

  it('has its discrepancy closed when its coins are back', async () => {
    await fund(50n * USD);
    await step(2);
    expect(await open()).toHaveLength(1);
    wallet = 50n * USD;
    await step();
    expect(await open()).toEqual([]);
  });

  it('of a restarted local chain is accepted as it is, once', async () => {
    await fund(50n * USD);
    wallet = 50n * USD;
    await useChain('local');
    wallet = 20n * USD;
    await step();
    expect(await ledger()).toBe(20n * USD);
    wallet = 19n * USD;
    await step(2);
    expect([await ledger(), (await open()).length]).toEqual([20n * USD, 1]);
  });

  it('is not read when the endpoints serve another chain by now', async () => {
    await fund(50n * USD);
    genesis = 'another';
    await step(3);
    expect([await open(), frozen]).toEqual([[], []]);
  });
});

describe('deposit addresses', () => {
  it('are read in turn, only those that ever received a payment', async () => {
    const addresses = [];
    for (let n = 0; n < 6; n++) {
      await session();
      addresses.push(await received(5n * USD));
    }
    await step(2);
    expect(readings.flat().map(({ address }) => address)).toEqual(addresses);
    await step(2);
    expect(
      new Set(
        readings
          .slice(2)
          .flat()
          .map(({ address }) => address),
      ),
    ).toEqual(new Set(addresses));
    expect(await open()).toEqual([]);
  });

  it('with a different amount in two readings are a discrepancy, which is closed when it is gone and freezes nothing', async () => {
    const address = await received(5n * USD);
    await received(3n * USD);
    await step(2);
    others.set(address, 4n * USD);
    await step(2);
    expect(await open()).toEqual([]);
    await step();
    expect(await open()).toMatchObject([{ address, expected: 5n * USD, found: 4n * USD }]);
    expect(frozen).toEqual([]);
    others.set(address, 5n * USD);
    await step(2);
    expect(await open()).toEqual([]);
  });

  it('whose discrepancy cannot be stored do not prevent reports about other addresses', async () => {
    const [bad, good] = [await received(5n * USD), await received(6n * USD)];
    for (const address of [bad, good]) others.set(address, 1n);
    const endFault = await makeFault(db.pool, { table: 'discrepancies', on: 'INSERT', row: `NEW.address = '${bad}'` });
    await step(4);
    expect((await open()).map(({ address }) => address)).toEqual([good]);
    expect(await openQuarantine(db.pool)).toMatchObject([{ kind: 'address', id: `${chainId} ${bad} USDT` }]);
    await endFault();
    await step(2);
    expect((await open()).map(({ address }) => address).toSorted()).toEqual([bad, good].toSorted());
    expect(await openQuarantine(db.pool)).toEqual([]);
  });

  it('are not judged before the watcher has passed the block of the reading', async () => {
    const address = await received(5n * USD);
    others.set(address, 9n * USD);
    await step(4, () => 60);
    expect([await open(), readings.length]).toEqual([[], 1]);
    // The transfer was there from the start, and is stored when the watcher reaches it.
    const { rows } = await db.pool.query('SELECT session_id FROM transfers WHERE recipient = $1', [address]);
    await db.pool.query(
      `INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time,
         currency, contract, payer, recipient, amount, decimals)
       VALUES ($1, 'ethereum', $2, $3, 0, 99, '0xb', $4, 'USDT', '0xc', '0xp', $5, $6, 6)`,
      [chainId, rows[0].session_id, randomUUID(), clock.now(), address, (4n * USD).toString()],
    );
    await step(4);
    expect(await open()).toEqual([]);
  });
});

describe('comparing', () => {
  it('runs in one worker at a time', async () => {
    wallet = 50n * USD;
    let looks = 0;
    duringReading = async () => void looks++;
    await db.pool.query('UPDATE chains SET final_number = 90 WHERE id = $1', [chainId]);
    const steps = Array.from({ length: 4 }, () => reconcileWith(chainOf(specOf('mainnet')), { reader, signer }));
    await Promise.all(steps.map((one) => one(context)));
    expect(looks).toBe(1);
  });

  it('is reported and retried when endpoints fail, and addresses are compared even while the signer is unreachable', async () => {
    const address = await received(5n * USD);
    const silent = { ...signer, state: () => Promise.reject(new ChainError('unavailable', 'no answer')) };
    const run = reconcileWith(chainOf(specOf('mainnet')), { reader, signer: silent });
    await run(context);
    expect(readings.flat().map((one) => one.address)).toEqual([address]);
    const row = await db.prisma.reconciliation.findUniqueOrThrow({ where: { chainId } });
    expect(row).toMatchObject({ trouble: 'no answer', doneAt: null });
    await step();
    expect(await db.prisma.reconciliation.findUniqueOrThrow({ where: { chainId } })).toMatchObject({ trouble: null });
  });

  it('reads the deposit addresses although an error prevents the comparison of the wallet', async () => {
    const address = await received(5n * USD);
    const broken = { ...signer, state: () => Promise.reject(new TypeError('the answer cannot be read')) };
    await expect(reconcileWith(chainOf(specOf('mainnet')), { reader, signer: broken })(context)).rejects.toThrow(
      TypeError,
    );
    expect(readings.flat().map((one) => one.address)).toEqual([address]);
  });

  it('stores the stake of the wallet with the time of its coin, which came in the same response', async () => {
    const stake = { staked: 7n, unstaking: 2n, withdrawableAt: clock.now() };
    const staking = { ...reader, feeCoin: async () => ({ amount: 5n, stake }) };
    await reconcileWith(chainOf(specOf('mainnet')), { reader: staking, signer })(context);
    const { rows } = await db.pool.query(
      `SELECT staked::int, unstaking::int, withdrawable_at AS "withdrawableAt" FROM coin_stakes JOIN wallet_balances USING (chain_id, address, read_at)
       WHERE chain_id = $1 AND address = $2 AND asset = 'fee' AND amount = 5`,
      [chainId, WALLET],
    );
    expect(rows).toEqual([{ staked: 7, unstaking: 2, withdrawableAt: clock.now() }]);
  });

  it('shows the wallet’s balance and the discrepancies in the metrics', async () => {
    await fund(50n * USD);
    wallet = 12_500_000n;
    await step(2);
    const text = await readMetrics(context);
    const line = (name: string, of: string) =>
      `stabletill_${name}{environment="test",network="ethereum"${of && `,asset="${of}"`}}`;
    expect(text).toContain(`${line('differences', '')} 1`);
    expect(text).toContain(`${line('refund_wallet_balance', 'USDT')} 12.5`);
    expect(text).toContain(`${line('refund_wallet_balance', 'fee')} 1.5`);
    expect(text).toContain(`${line('reconciled_age_seconds', '')} 0`);
  });
});
