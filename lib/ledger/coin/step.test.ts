// Coins in the ledger: each fee, top-up, rent and rented energy is booked once, whatever crashes or runs beside, and the books balance.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readWalletBalances } from '@/lib/ledger/balances';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { readBooks } from '@/lib/ledger/proofs/books';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testContext } from '@/testing/fixtures';
import { coinStep } from './step';
import { readCoinChecks } from './checks';
import { readMonthCosts } from './costs';

const [WALLET, SPONSOR, DEPOSIT] = ['0xAbCd', '0xSponsor', '0xdeposit'];
const clock = new TestClock();
let db: TestDatabase;
let chains: Record<'ethereum' | 'tron' | 'solana', number>;
let next = 0;

beforeAll(async () => {
  db = await openTestDatabase();
  const now = clock.now().getTime() / 1000;
  chains = {
    ethereum: await makeChain(db, 'ethereum', now),
    tron: await makeChain(db, 'tron', now),
    solana: await makeChain(db, 'solana', now),
  };
});
afterAll(() => db.close());

beforeEach(async () => {
  await transaction(db.pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      `TRUNCATE refund_attempts, sweeps, sweep_items, allowance_transactions, energy_rentals, coin_checks, coin_months, wallet_balances, sweep_states,
         ledger_entries, ledger_postings, ledger_balances`,
    );
  });
});

type Network = keyof typeof chains;

/** `rent`: what the payee's account may cost. */
async function attempt(
  network: Network,
  over: { status?: string; fee: bigint | null; rent?: bigint; hash?: string; item?: number },
) {
  const { status = 'landed', fee, rent = null, hash = `0x${++next}`, item } = over;
  const draft = { from: network === 'ethereum' ? WALLET : `${network}Wallet`, ...(item === undefined ? {} : { item }) };
  const isOpen = status === 'sent';
  await db.pool.query(
    `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, ended_at, fee, rent)
     VALUES ($1, 1, $2, $3::"AttemptStatus", $4, $5, '0x', '{}', $6, $6, $7, $8, $9)`,
    [
      ...[`p_${++next}`, chains[network], status, JSON.stringify(draft), hash],
      ...[clock.now(), isOpen ? null : clock.now(), fee, rent],
    ],
  );
}

async function sweep(
  network: Network,
  over: {
    kind?: string;
    status?: string;
    fee?: bigint | null;
    request?: object;
    terms?: object;
    deposits?: number;
    sender?: string;
  },
) {
  const {
    kind = 'batch',
    status = 'final',
    fee = null,
    request = {},
    terms = {},
    deposits = 0,
    sender = SPONSOR,
  } = over;
  const { rows } = await db.pool.query(
    `INSERT INTO sweeps (environment, network, chain_id, kind, status, sender, request, terms, bytes, hashes, fee, created_at, signed_at, ended_at)
     VALUES ('test', $1, $2, $3, $4, $5, $6, $7, '0x', '{0x}', $8, $9, $9, $10) RETURNING id`,
    [
      ...[network, chains[network], kind, status, sender, JSON.stringify(request), JSON.stringify(terms)],
      ...[fee, clock.now()],
      ['final', 'reverted', 'lapsed', 'canceled'].includes(status) ? clock.now() : null,
    ],
  );
  for (let at = 0; at < deposits; at++)
    await db.pool.query(
      `INSERT INTO sweep_items (sweep_id, chain_id, address, address_index, session_id, currency, decimals, amount, ended_at)
       VALUES ($1, $2, $3, $4, 's', 'USDT', 6, 1, $5)`,
      [rows[0].id, chains[network], `a${at}`, at, clock.now()],
    );
}

const allowance = (over: { fee: bigint | null; isSeen: boolean; isSettled: boolean }) =>
  db.pool.query(
    `INSERT INTO allowance_transactions (chain_id, hash, wallet, nonce, currency, is_reset, signed_at, seen_at, fee, settled_at)
     VALUES ($1, $2, $3, 1, 'USDT', false, $4, $5, $6, $7)`,
    [
      ...[chains.ethereum, `0xallow${++next}`, WALLET.toLowerCase(), clock.now()],
      ...[over.isSeen ? clock.now() : null, over.fee, over.isSettled ? clock.now() : null],
    ],
  );

const rental = (cost: bigint, outcome: string | null, isPlaced = true) =>
  db.pool.query(
    `INSERT INTO energy_rentals (chain_id, address, energy, cost, ordered_at, placed_at, ended_at, outcome) VALUES ($1, $2, 1, $3, $4, $5, $6, $7)`,
    [
      ...[chains.tron, `T${++next}`, cost, clock.now(), isPlaced ? clock.now() : null],
      ...[outcome === null ? null : clock.now(), outcome],
    ],
  );

const run = () => coinStep(testContext(db, clock));
const entries = async (): Promise<number> =>
  (await db.pool.query('SELECT FROM ledger_entries WHERE coin_source IS NOT NULL')).rowCount ?? 0;

/** Balances by account and coin, without those that are zero. */
async function balances(): Promise<Record<string, bigint>> {
  const { rows } = await db.pool.query<{ name: string; amount: string }>(
    `SELECT concat_ws(' ', account, network, currency) AS name, amount::text AS amount FROM ledger_balances WHERE amount <> 0`,
  );
  return Object.fromEntries(rows.map(({ name, amount }) => [name, BigInt(amount)]));
}
const broken = async () => (await checkBooks(db.pool)).filter(({ id, count }) => id.startsWith('INV-2') && count > 0);

describe('each kind is booked in the coin of its network, and only if it happened', () => {
  it('a payment that landed or reverted, at the wallet that paid', async () => {
    await attempt('ethereum', { fee: 700n });
    await attempt('ethereum', { fee: 30n, status: 'reverted' });
    await attempt('ethereum', { fee: null });
    await attempt('ethereum', { fee: 5n, status: 'sent' });
    await attempt('ethereum', { fee: 5n, status: 'replaced' });
    await run();
    expect(await balances()).toEqual({
      'expense:network_fee ethereum ETH': 730n,
      'fee_coin:0xabcd ethereum ETH': -730n,
    });
    expect(await entries()).toBe(2);
    expect(await broken()).toEqual([]);
  });

  it('a batch of payouts as the shares of its payments', async () => {
    for (const [item, fee] of [34n, 33n, 33n].entries()) await attempt('ethereum', { fee, hash: '0xbatch', item });
    await run();
    expect(await balances()).toMatchObject({ 'expense:network_fee ethereum ETH': 100n });
    expect(await broken()).toEqual([]);
  });

  it('rent of an account that a payment opened, apart from its fee, and not if the payee had one', async () => {
    await attempt('solana', { fee: 2_044_280n, rent: 2_039_280n });
    await attempt('solana', { fee: 5000n, rent: 2_039_280n });
    await attempt('solana', { fee: 5000n, rent: 2_039_280n, status: 'reverted' });
    await run();
    expect(await balances()).toEqual({
      'expense:network_fee solana SOL': 15_000n,
      'expense:rent solana SOL': 2_039_280n,
      'fee_coin:solanaWallet solana SOL': -2_054_280n,
    });
    expect(await broken()).toEqual([]);
  });

  it('rent that closed accounts gave back to the payer of a sweep, and the fee that it paid from it', async () => {
    const terms = { unitLimit: 200_000, unitPrice: '7' };
    // Three signatures, and 1.4 lamports for units, rounded up.
    const fee = 3n * 5000n + 2n;
    await sweep('solana', { fee: fee - 2n * 2_039_280n, terms, deposits: 2 });
    await sweep('solana', { fee: 5002n + 2_039_280n, terms, kind: 'deploy' });
    await run();
    expect(await balances()).toEqual({
      'expense:network_fee solana SOL': fee + 5002n,
      'revenue:rent solana SOL': -2n * 2_039_280n,
      'expense:rent solana SOL': 2_039_280n,
      'fee_coin:0xsponsor solana SOL': 2_039_280n - fee - 5002n,
    });
    expect(await broken()).toEqual([]);
  });

  it.each(['deploy', 'batch', 'activate', 'delegate', 'undelegate', 'flush'])(
    'a sweep of the kind %s',
    async (kind) => {
      await sweep('tron', { kind, fee: 11n, sender: 'TSponsor' });
      await sweep('tron', { kind, fee: 12n, sender: 'TSponsor', status: 'reverted' });
      for (const status of ['lapsed', 'canceled', 'mined', 'signed'])
        await sweep('tron', { kind, status, sender: `T${status}` });
      await run();
      expect(await balances()).toEqual({ 'expense:network_fee tron TRX': 23n, 'fee_coin:TSponsor tron TRX': -23n });
      expect(await broken()).toEqual([]);
    },
  );

  it('a top-up as a move to deposit addresses, whose transfers use it', async () => {
    await sweep('ethereum', { kind: 'top_up', fee: 21n, request: { kind: 'top_up', index: 1, amount: '1000' } });
    await sweep('ethereum', { kind: 'top_up', fee: 9n, request: { amount: '1000' }, status: 'reverted' });
    await sweep('ethereum', { kind: 'transfer', fee: 900n, sender: DEPOSIT, request: { amount: '77' } });
    await run();
    expect(await balances()).toEqual({
      'expense:network_fee ethereum ETH': 930n,
      'fee_coin:0xsponsor ethereum ETH': -1030n,
      'fee_coin:deposits ethereum ETH': 100n,
    });
    expect(await broken()).toEqual([]);
  });

  it('a change of the allowance that is in a final block', async () => {
    await allowance({ fee: 46n, isSeen: true, isSettled: true });
    await allowance({ fee: 46n, isSeen: true, isSettled: false });
    await allowance({ fee: null, isSeen: false, isSettled: true });
    await run();
    expect(await balances()).toEqual({ 'expense:network_fee ethereum ETH': 46n, 'fee_coin:0xabcd ethereum ETH': -46n });
    expect(await broken()).toEqual([]);
  });

  it('rented energy that the market took money for', async () => {
    await rental(400n, 'arrived');
    await rental(30n, 'missing');
    await rental(7n, 'missing', false);
    await rental(5n, 'refused');
    await rental(6n, null);
    await run();
    expect(await balances()).toEqual({ 'expense:energy tron TRX': 430n, 'fee_coin:energy_market tron TRX': -430n });
    expect(await broken()).toEqual([]);
  });
});

describe('each is booked once', () => {
  const fill = async (count: number) => {
    for (let at = 0; at < count; at++) await attempt('ethereum', { fee: 10n });
    await sweep('ethereum', { fee: 5n });
    await allowance({ fee: 3n, isSeen: true, isSettled: true });
    await rental(2n, 'arrived');
  };

  it('by two runs and by two workers at once', async () => {
    await fill(20);
    await Promise.all([run(), run(), run()]);
    await run();
    expect(await entries()).toBe(23);
    expect(await balances()).toMatchObject({ 'expense:network_fee ethereum ETH': 208n, 'expense:energy tron TRX': 2n });
    expect(await broken()).toEqual([]);
  });

  it('in batches, until nothing is left of what was there before', async () => {
    await db.pool.query(
      `INSERT INTO refund_attempts (intent_id, number, chain_id, status, draft, hash, bytes, validity, drafted_at, signed_at, ended_at, fee)
       SELECT 'many_' || n, 1, $1, 'landed', '{"from": "0xabcd"}', '0xmany' || n, '0x', '{}', $2, $2, $2, 1 FROM generate_series(1, 501) AS n`,
      [chains.ethereum, clock.now()],
    );
    expect(await run()).toEqual({ more: true });
    expect(await run()).toEqual({ more: false });
    expect(await balances()).toMatchObject({ 'expense:network_fee ethereum ETH': 501n });
  });

  it('although the worker stops in the middle: all of a batch is booked and marked, or nothing', async () => {
    await attempt('ethereum', { fee: 10n });
    await db.pool.query(
      `CREATE FUNCTION stops() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the worker stops'; END $$;
       CREATE TRIGGER stops BEFORE INSERT ON ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION stops()`,
    );
    await expect(run()).rejects.toThrow('the worker stops');
    expect((await db.pool.query('SELECT FROM coin_months')).rowCount).toBe(0);
    await db.pool.query('DROP TRIGGER stops ON ledger_postings; DROP FUNCTION stops()');
    expect(await entries()).toBe(0);
    expect(await broken()).toEqual([]);
    await run();
    expect(await entries()).toBe(1);
  });

  it('although another kind cannot be booked', async () => {
    await fill(1);
    await db.pool.query('ALTER TABLE sweeps RENAME COLUMN terms TO terms_away');
    await expect(run()).rejects.toThrow('terms');
    await db.pool.query('ALTER TABLE sweeps RENAME COLUMN terms_away TO terms');
    expect(await entries()).toBe(3);
  });

  it('although its mark was lost', async () => {
    await sweep('ethereum', { fee: 5n });
    await run();
    await db.pool.query('UPDATE sweeps SET coin_booked_at = NULL');
    await run();
    expect(await balances()).toMatchObject({ 'expense:network_fee ethereum ETH': 5n });
    expect(await broken()).toEqual([]);
  });
});

it('coins are no tokens: neither the operator’s balances nor a proof of reserves has them', async () => {
  await attempt('ethereum', { fee: 10n });
  await sweep('solana', { fee: -10n });
  await run();
  expect(await readWalletBalances(db.pool, 'test', () => expect.fail('a coin is no token'))).toEqual([]);
  const { assets } = await readBooks(testContext(db, clock), 'test');
  expect(assets).toEqual([]);
});

describe('an attempt that has ended', () => {
  it('may be marked as booked, once, and nothing else of it changes', async () => {
    await attempt('ethereum', { fee: 10n });
    const set = (what: string) => db.pool.query(`UPDATE refund_attempts SET ${what}`);
    await expect(set('coin_booked_at = now(), fee = 11')).rejects.toThrow('stays as it is');
    await expect(set('fee = 11')).rejects.toThrow('stays as it is');
    await run();
    await expect(set('coin_booked_at = NULL')).rejects.toThrow('stays as it is');
  });
});

it('costs are summed by the month of the transaction, also of one that is booked later', async () => {
  await attempt('ethereum', { fee: 10n });
  clock.advance(40 * 86_400);
  await attempt('ethereum', { fee: 7n });
  await rental(4n, 'arrived');
  await run();
  const costs = await readMonthCosts(db.pool, 'test', new Date(0));
  expect(costs.map(({ month, network, networkFees, energy }) => [month, network, networkFees, energy])).toEqual([
    ['2027-02', 'ethereum', 7n, 0n],
    ['2027-02', 'tron', 0n, 4n],
    ['2027-01', 'ethereum', 10n, 0n],
  ]);
  expect(await readMonthCosts(db.pool, 'live', new Date(0))).toEqual([]);
});

describe('the coin of a wallet', () => {
  const reads = async (amount: bigint) => {
    clock.advance(60);
    await db.pool.query(
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, $2, 'fee', $3, 0, $4)
       ON CONFLICT (chain_id, address, asset) DO UPDATE SET amount = EXCLUDED.amount, read_at = EXCLUDED.read_at`,
      [chains.ethereum, WALLET, amount, clock.now()],
    );
    clock.advance(1);
    await run();
    const [check] = await readCoinChecks(db.pool);
    return check && { came: check.came, went: check.went };
  };

  it('is explained by what its transactions cost', async () => {
    await attempt('ethereum', { fee: 10n });
    expect(await reads(1000n)).toEqual({ came: 0n, went: 0n });
    await attempt('ethereum', { fee: 30n });
    expect(await reads(970n)).toEqual({ came: 0n, went: 0n });
  });

  it('that came or went otherwise is not explained, and one does not hide the other', async () => {
    await reads(1000n);
    expect(await reads(1500n)).toEqual({ came: 500n, went: 0n });
    await attempt('ethereum', { fee: 30n });
    expect(await reads(1400n)).toEqual({ came: 500n, went: 70n });
  });

  it('is not compared while a transaction is open, or has ended since the reading', async () => {
    await reads(1000n);
    await attempt('ethereum', { fee: null, status: 'sent' });
    expect(await reads(970n)).toEqual({ came: 0n, went: 0n });
    await db.pool.query(`UPDATE refund_attempts SET status = 'landed', fee = 30, ended_at = $1`, [clock.now()]);
    clock.advance(1);
    await run();
    expect(await readCoinChecks(db.pool)).toMatchObject([{ came: 0n, went: 0n }]);
    expect(await reads(970n)).toEqual({ came: 0n, went: 0n });
  });

  it('is not compared within a minute after a transaction has ended: the endpoint of the reading may lag', async () => {
    await reads(1000n);
    clock.advance(30);
    await attempt('ethereum', { fee: 30n });
    clock.advance(-1);
    expect(await reads(1000n)).toEqual({ came: 0n, went: 0n });
    expect(await reads(970n)).toEqual({ came: 0n, went: 0n });
  });

  it('is compared although a transaction of another wallet is open', async () => {
    await reads(1000n);
    await sweep('ethereum', { status: 'mined' });
    expect(await reads(990n)).toEqual({ came: 0n, went: 10n });
  });

  it('of the sponsor is compared too', async () => {
    const state = (coin: bigint) =>
      db.pool.query(
        `INSERT INTO sweep_states (environment, network, treasury, sponsor, coin, fees_per_hour, fees_last_hour, read_at)
         VALUES ('test', 'ethereum', '0xt', $1, $2, 1, 1, $3)
         ON CONFLICT (environment, network) DO UPDATE SET coin = EXCLUDED.coin, read_at = EXCLUDED.read_at`,
        [SPONSOR, coin, clock.now()],
      );
    await state(1000n);
    await run();
    await sweep('ethereum', { kind: 'top_up', fee: 21n, request: { amount: '100' } });
    clock.advance(60);
    await state(870n);
    clock.advance(1);
    await run();
    expect(await readCoinChecks(db.pool)).toMatchObject([{ address: '0xsponsor', came: 0n, went: 9n }]);
  });
});
