// The page Treasury shows where the money of each network is, what sweeping it costs, and why nothing is swept; and an operator pauses it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import english from '@/messages/dashboard/en.json';
import { listSweeps, readSweep, type SweepKind } from '@/lib/dashboard/lists/sweeps';
import { FIRST_PAGE, readCursor } from '@/lib/dashboard/lists/keyset';
import { storeStake } from '@/lib/ledger/coin/stakes';
import type { SkipReason, SweepHold } from '@/lib/sweeps/reasons';
import { readState } from '@/lib/sweeps/state';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openStoredSweeps, type StoredSweeps } from '@/testing/sweeps/stored-sweeps';
import { isPaused } from '@/lib/refunds/sending/draft/pause';
import { PAUSED_KINDS, pausePayments, resumePayments } from './pause-payments';
import { pauseSweeps, resumeSweeps } from './pause-sweeps';
import { readTreasury } from './read';

const [HOUR, DAY] = [3600, 86_400];
const COIN = 10n ** 18n;
const config = testConfig({ LIVE_BSC_URLS: 'http://127.0.0.1:1', LIVE_TRON_URLS: 'http://127.0.0.1:1' });
const clock = new TestClock();
let db: TestDatabase;
let bsc: StoredSweeps;

beforeAll(async () => {
  db = await openTestDatabase();
  bsc = await openStoredSweeps(db, clock, { network: 'bsc', decimals: 18 });
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('TRUNCATE deposit_balances, sweep_states, coin_prices, network_fees, energy_rentals');
  await db.pool.query('TRUNCATE sweeps, sweep_items');
});

const context = () => testContext(db, clock, config);
const network = async (name = 'bsc') =>
  (await readTreasury(context(), 'live')).networks.find((one) => one.network === name) ?? expect.fail(`no ${name}`);
const token = async (currency = 'USDT') => (await network()).tokens.find((one) => one.currency === currency);

describe('a token', () => {
  test('is unswept at deposit addresses, and a part of it not worth its fee yet', async () => {
    await bsc.state();
    await bsc.held(12_34);
    await bsc.held(99);
    await bsc.held(5_00);
    expect(await token()).toMatchObject({ addresses: 3, dustAddresses: 1 });
    const { unswept, dust } = (await token())!;
    expect([Number(unswept), Number(dust)]).toEqual([18.33, 0.99]);
    // The sweep of an address costs 4 cents now, and takes at most a fiftieth.
    await bsc.price('BNB', '1000');
    await bsc.fee(4n * 10n ** 13n);
    await bsc.held(1_99);
    await bsc.held(2_00);
    expect(await token()).toMatchObject({ addresses: 5, dustAddresses: 2 });
  });

  test('is on its way in open sweeps, and swept in those that ended within a day', async () => {
    await bsc.state();
    await bsc.sweep({ status: 'signed', cents: [10_00, 20_00] });
    await bsc.sweep({ status: 'final', ended: HOUR, cents: [7_00], fee: 1n });
    await bsc.sweep({ status: 'final', ended: HOUR, cents: [8_00], reason: 'refused', fee: 1n });
    await bsc.sweep({ status: 'final', ended: 2 * DAY, cents: [9_00], fee: 1n });
    const row = (await token())!;
    expect({ inFlight: Number(row.inFlight), addresses: row.inFlightAddresses, swept: Number(row.swept) }).toEqual({
      inFlight: 30,
      addresses: 2,
      swept: 7,
    });
  });
});

describe('a network', () => {
  test('shows what its sponsor and its refund wallet have staked and unstaked, and when that can be withdrawn', async () => {
    const chainId = await makeChain(db, 'tron', clock.now().getTime() / 1000, 'live');
    const withdrawableAt = new Date(clock.now().getTime() + 14 * DAY * 1000);
    const readAt = clock.now();
    const both = { staked: 7_000_000_000n, unstaking: 1_500_000n, withdrawableAt };
    const none = { staked: 0n, unstaking: 0n, withdrawableAt: null };
    await storeStake(db.pool, { chainId, address: 'TSponsor', stake: both, readAt });
    await storeStake(db.pool, { chainId, address: 'TRefundWallet', stake: { ...none, staked: 1n }, readAt });
    await storeStake(db.pool, { chainId, address: 'TOther', stake: none, readAt });
    expect((await network('tron')).stakes).toEqual([
      { address: 'TRefundWallet', staked: '0.000001', unstaking: null },
      { address: 'TSponsor', staked: '7000.000000', unstaking: { coin: '1.500000', withdrawableAt } },
    ]);
    expect((await network('bsc')).stakes).toEqual([]);
  });

  test('says how old its oldest unswept payment is, and what a day of sweeps cost for each dollar', async () => {
    await bsc.state();
    await bsc.held(1_00, { age: 5 * HOUR });
    await bsc.held(1_00, { age: HOUR });
    await bsc.price('BNB', '500');
    await bsc.sweep({ status: 'final', ended: HOUR, cents: [60_00, 40_00], fee: COIN / 1000n });
    const { oldestAt, cost } = await network();
    expect(oldestAt?.getTime()).toBe(clock.now().getTime() - 5 * HOUR * 1000);
    expect(cost).toEqual({ coin: '0.001000000000000000', dollars: '0.500000', perDollar: '0.005000' });
  });

  test('shows energy that was rented within a day, as a part of what sweeps cost, without orders that the market refused', async () => {
    await bsc.state();
    await bsc.sweep({ status: 'final', ended: HOUR, cents: [60_00], fee: COIN });
    await bsc.rental({ ordered: HOUR, cost: COIN, outcome: 'arrived' });
    await bsc.rental({ ordered: HOUR, cost: COIN, outcome: 'missing' });
    await bsc.rental({ ordered: HOUR, cost: COIN, outcome: 'refused' });
    await bsc.rental({ ordered: 25 * HOUR, cost: COIN, outcome: 'arrived' });
    const { cost, rented } = await network();
    expect(rented).toEqual({ orders: 2, coin: '2.000000000000000000' });
    expect(cost?.coin).toBe('3.000000000000000000');
  });

  test('has no cost in dollars without a recent price of its coin', async () => {
    await bsc.state();
    await bsc.price('BNB', '500');
    await db.pool.query('UPDATE coin_prices SET agreed_at = $1', [new Date(clock.now().getTime() - 2 * DAY * 1000)]);
    await bsc.sweep({ status: 'final', ended: HOUR, cents: [60_00], fee: COIN / 1000n });
    expect((await network()).cost).toMatchObject({ dollars: null, perDollar: null });
  });

  test('says how many days the coin for fees lasts, by what fees and top-ups took within a week', async () => {
    await bsc.state({ coin: 100 });
    expect((await network()).wallets).toMatchObject({ days: null, isCoinLow: false });
    await bsc.sweep({ status: 'final', ended: 9 * DAY, fee: COIN });
    await bsc.sweep({ status: 'final', ended: DAY, fee: COIN / 1000n });
    const request = { amount: (COIN * 69n) / 1000n / 10n };
    await bsc.sweep({
      ...{ kind: 'top_up', status: 'final', ended: DAY, fee: COIN / 10_000n },
      request: { amount: request.amount.toString() },
    });
    // 0.008 in 7 days.
    expect((await network()).wallets).toMatchObject({ days: 87, isCoinLow: false });
    await bsc.state({ coin: 1 });
    expect((await network()).wallets).toMatchObject({ days: 0, isCoinLow: true });
  });

  test.each([
    [{}, 'sweeping', null],
    [{ hold: 'sponsor_low' }, 'waiting', 'sponsor_low'],
    [{ readSecondsAgo: HOUR }, 'silent', null],
    // The operator has resumed it, and the worker has not run since.
    [{ hold: 'paused' }, 'sweeping', null],
  ])('whose state is %j is shown as %s', async (state, status, hold) => {
    await bsc.state(state);
    expect(await network()).toMatchObject({ status, hold });
  });

  test('that the signer does not sweep is not set up', async () => {
    expect(await network()).toMatchObject({ status: 'off', wallets: null, cost: null });
    expect(await network('tron')).toMatchObject({ status: 'off', wallets: null });
    expect((await readTreasury(context(), 'test')).networks).toMatchObject([
      { network: 'ethereum' },
      { network: 'bsc' },
    ]);
  });

  test('lists the addresses that were not moved, with foreign code first', async () => {
    await bsc.state();
    await bsc.held(1_00);
    await bsc.held(90_00, { skip: 'refused' });
    const stolen = await bsc.held(2_00, { skip: 'foreign_delegation' });
    const { skipped, skippedCount } = await network();
    expect(skippedCount).toBe(2);
    expect(skipped).toMatchObject([{ reason: 'foreign_delegation' }, { reason: 'refused' }]);
    expect(skipped[0]).toMatchObject({ sessionId: stolen.id, nextAt: new Date(clock.now().getTime() + HOUR * 1000) });
    expect(skipped[0]?.address.toLowerCase()).toBe(stolen.address);
  });
});

test('the sums of all networks are in dollars, and have no cost while a coin has no price', async () => {
  const totals = async () => (await readTreasury(context(), 'live')).totals;
  await bsc.state();
  await bsc.held(12_34);
  await bsc.held(99, { currency: 'USDC' });
  await bsc.sweep({ status: 'signed', cents: [20_00] });
  await bsc.sweep({ status: 'final', ended: HOUR, cents: [5_00], fee: COIN / 100_000n });
  const sums = { unswept: '13.33', addresses: 2, dust: '0.99', inFlight: '20.00', swept: '5.00' };
  expect(await totals()).toEqual({ ...sums, cost: null });
  await bsc.price('BNB', '510');
  expect(await totals()).toEqual({ ...sums, cost: '0.0051' });
});

/** The types make them complete: a new code does not compile until it is listed here. `paused` is shown as a status. */
const HOLDS: Readonly<Record<Exclude<SweepHold, 'paused'>, true>> = {
  ...{
    frozen: true,
    signer_unavailable: true,
    chain_unavailable: true,
    treasury_differs: true,
    treasury_blocked: true,
  },
  ...{ sponsor_low: true, sponsor_has_code: true, no_factory: true, fee_too_high: true, budget: true, no_energy: true },
  signer_refuses: true,
  keys_offline: true,
  factory_differs: true,
};
const REASONS: Readonly<Record<SkipReason, true>> = {
  ...{ foreign_delegation: true, not_authorized: true, other_factory: true, refused: true, reverted: true },
};
const KINDS: Readonly<Record<SweepKind, true>> = {
  ...{ deploy: true, batch: true, activate: true, top_up: true, delegate: true, undelegate: true, transfer: true },
  flush: true,
};

test.each([
  ['treasuryHold_', HOLDS],
  ['treasuryHoldText_', HOLDS],
  ['treasuryReason_', REASONS],
  ['treasuryKind_', KINDS],
])('every code has a text %s…', (prefix, codes) => {
  expect(Object.keys(codes).filter((code) => !(`${prefix}${code}` in english))).toEqual([]);
});

describe('an operator', () => {
  const request = { environment: 'live', network: 'bsc', by: 'user:1', address: '192.0.2.1' };
  const audited = async () =>
    (await db.pool.query(`SELECT action, target FROM audit_entries WHERE action LIKE 'sweeps.%' ORDER BY number`)).rows;

  test('pauses the sweeps of a network, which the worker obeys, and lets them go on; both are in the audit log once', async () => {
    await bsc.state();
    await pauseSweeps(context(), request);
    await pauseSweeps(context(), { ...request, by: 'user:2' });
    expect(await network()).toMatchObject({ status: 'paused', pausedAt: clock.now() });
    expect(await readState(db.pool, { environment: 'live', network: 'bsc' })).toMatchObject({ isPaused: true });
    await resumeSweeps(context(), request);
    await resumeSweeps(context(), request);
    expect(await network()).toMatchObject({ status: 'sweeping', pausedAt: null });
    expect(await readState(db.pool, { environment: 'live', network: 'bsc' })).toMatchObject({ isPaused: false });
    expect(await audited()).toEqual([
      { action: 'sweeps.pause', target: 'sweeps/live/bsc' },
      { action: 'sweeps.resume', target: 'sweeps/live/bsc' },
    ]);
  });

  test.each([
    ['live', 'ethereum'],
    ['test', 'bsc'],
    ['live', 'x'],
    ['x', 'bsc'],
  ])('cannot pause %s %s, which is not swept', async (environment, name) => {
    await bsc.state();
    for (const change of [pauseSweeps, resumeSweeps])
      await expect(change(context(), { ...request, environment, network: name })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
  });
});

describe('an operator’s pause of payments', () => {
  const request = { environment: 'live', network: 'bsc', kind: 'payouts', by: 'user:1', address: '192.0.2.1' };
  const audited = async () =>
    (await db.pool.query(`SELECT action, target FROM audit_entries WHERE action LIKE 'payments.%' ORDER BY number`))
      .rows;
  beforeEach(() => db.pool.query('TRUNCATE payment_pauses'));

  test('is of one kind and network, is shown with its time, ends by resume; both are in the audit log once', async () => {
    await pausePayments(context(), request);
    await pausePayments(context(), { ...request, by: 'user:2' });
    expect((await network()).pauses).toEqual([
      { network: 'bsc', kind: 'payouts', pausedAt: clock.now(), pausedBy: null },
    ]);
    expect((await network('tron')).pauses).toEqual([]);
    const paying = { environment: 'live', network: 'bsc' } as const;
    const stopped = PAUSED_KINDS.map((table) => isPaused(db.pool, { ...paying, table }));
    expect(await Promise.all(stopped)).toEqual([false, true, false]);
    expect(await isPaused(db.pool, { ...paying, environment: 'test', table: 'payouts' })).toBe(false);
    await resumePayments(context(), request);
    await resumePayments(context(), request);
    expect((await network()).pauses).toEqual([]);
    expect(await audited()).toEqual([
      { action: 'payments.pause', target: 'payouts/live/bsc' },
      { action: 'payments.resume', target: 'payouts/live/bsc' },
    ]);
  });

  test.each([
    ['live', 'ethereum', 'payouts'],
    ['test', 'x', 'payouts'],
    ['x', 'bsc', 'payouts'],
    ['live', 'bsc', 'sweeps'],
  ])('is refused for %s %s %s, which does not exist here', async (environment, name, kind) => {
    for (const change of [pausePayments, resumePayments])
      await expect(change(context(), { ...request, environment, network: name, kind })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    expect((await db.pool.query('SELECT FROM payment_pauses')).rowCount).toBe(0);
  });
});

describe('the list of sweeps', () => {
  const list = async (filters = {}, over = {}) =>
    (await listSweeps(context(), 'live', filters, { ...FIRST_PAGE, ...over })).rows;

  test('has the newest first, with what was moved, the fee and the transaction', async () => {
    await bsc.sweep({ status: 'final', ended: 2 * HOUR, cents: [7_00], fee: COIN / 1000n, hashes: ['0x1'] });
    await bsc.sweep({ status: 'reverted', ended: HOUR, cents: [8_00], reason: 'reverted', fee: 1n });
    await bsc.sweep({ status: 'signed', cents: [1_00, 2_00], hashes: ['0x2', '0x3'] });
    const rows = await list();
    expect(rows).toMatchObject([
      { status: 'signed', addresses: 2, movedAddresses: null, amount: '3.000000000000000000', fee: null },
      { status: 'reverted', addresses: 1, movedAddresses: 0, amount: '0.000000000000000000' },
      { status: 'final', movedAddresses: 1, amount: '7.000000000000000000', fee: '0.001000000000000000', coin: 'BNB' },
    ]);
    expect(rows[0]?.transaction).toMatchObject({ hash: '0x3' });
    expect(rows[2]?.transaction?.url).toContain('bscscan.com/tx/0x1');
    const statuses = async (filters: object) => (await list(filters)).map(({ status }) => status);
    expect(await statuses({ state: 'open' })).toEqual(['signed']);
    expect(await statuses({ state: 'failed' })).toEqual(['reverted']);
    expect(await statuses({ state: 'final', network: 'bsc' })).toEqual(['final']);
    expect(await statuses({ network: 'ethereum' })).toEqual([]);
    expect((await listSweeps(context(), 'test', {}, FIRST_PAGE)).rows).toEqual([]);
  });

  test('is read page by page, each sweep once', async () => {
    for (let n = 0; n < 5; n++) await bsc.sweep({ status: 'final', ended: HOUR + n, fee: 1n });
    const first = await listSweeps(context(), 'live', {}, { ...FIRST_PAGE, limit: 3 });
    const second = await listSweeps(
      context(),
      'live',
      {},
      { ...FIRST_PAGE, limit: 3, after: readCursor(first.older as string) },
    );
    const ids = [...first.rows, ...second.rows].map(({ id }) => id);
    expect(new Set(ids).size).toBe(5);
    expect(second.older).toBeNull();
  });

  test('leads to a sweep with each address: what it held, what was moved, and why not', async () => {
    const id = await bsc.sweep({ status: 'final', ended: HOUR, cents: [8_00], reason: 'refused', fee: 1n });
    expect(await readSweep(context(), id)).toMatchObject({
      kind: 'batch',
      nonce: '7',
      items: [{ amount: '8.000000000000000000', moved: '0.000000000000000000', reason: 'refused' }],
    });
    expect(await readSweep(context(), '999999')).toBeNull();
  });
});
