// The cost of a dashboard page does not depend on the number of rows: no list scans a whole table, and none
// reads many more rows than it shows.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readPlan } from '@/testing/database/read-plan';
import { makeStore, TestClock, testConfig } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { eventsStatement } from './lists/events';
import type { EventFilters, PaymentFilters, RefundFilters } from './lists/filters';
import { FIRST_PAGE, PAGE_ROWS, type Place, type PageRequest } from './lists/keyset';
import { readStoreOverview } from './payment/overview';
import { listAllPayments, listPayments, paymentsStatement, type StoreScope } from './lists/payments';
import { payoutsStatement } from './lists/payouts';
import { refundsStatement } from './lists/refunds';
import { LINES } from '@/lib/ledger/statements/lines';
import { PAYMENT_LINES } from './statements/payments';
import { statementStatement } from './lists/statement';

const ROWS = 100_000;
/** Creation time of the first row; each further row follows one second later. */
const START = 1_700_000_000;
const MAX_READ = 4 * PAGE_ROWS;
/** A search collects some hundreds of ids before the page is sorted. */
const MAX_SEARCHED = 600;
let db: TestDatabase;
let of: StoreScope;
let others: StoreScope;

beforeAll(async () => {
  db = await openTestDatabase();
  const [mine, other] = [await makeStore(db, testConfig()), await makeStore(db, testConfig())];
  of = { storeId: mine.storeId, environment: 'test' };
  others = { storeId: other.storeId, environment: 'test' };
  const values = [mine.storeId, other.storeId, START];
  const whose = `CASE n % 2 WHEN 0 THEN $1 ELSE $2 END, 'test'::"Environment"`;
  const at = `to_timestamp($3::bigint + n)`;
  await db.pool.query(
    `INSERT INTO chains (id, environment, network, genesis, tip_number, tip_hash, final_number, final_hash, final_time)
     VALUES (7, 'test', 'bsc', 'g', 1, '', 1, '', now())`,
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO sessions (id, store_id, environment, order_id, status, exception, amount_total, currency, amount_due, currencies,
       networks, created_at, expires_at, closed_at, address_index, evm_address, tron_address, solana_address, completed_network,
       amount_refunded)
     SELECT 'cs_test_' || lpad(n::text, 22, '0'), ${whose}, 'order-' || n,
       (CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'expired' END)::"SessionStatus",
       (CASE WHEN n % 1000 = 0 THEN 'partial' ELSE 'none' END)::"SessionException", n, CASE WHEN n % 1000 = 0 THEN 'EUR' ELSE 'USD' END, 5,
       '{USDT}', '{bsc}', ${at}, ${at}, ${at}, n, '0x' || lpad(to_hex(n), 40, '0'), 'T' || n, 'S' || n,
       CASE WHEN n % 1000 = 0 THEN 'bsc' END, CASE n % 2000 WHEN 500 THEN 5 WHEN 1500 THEN 2 ELSE 0 END FROM ${numbers}`,
    values,
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO transfers (chain_id, network, session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
       contract, payer, recipient, amount, decimals)
     SELECT 7, 'bsc', 'cs_test_' || lpad(n::text, 22, '0'), '0x' || lpad(to_hex(n), 64, '0'), 0, n, '', to_timestamp($1::bigint + n),
       'USDT', '', '0x' || lpad(to_hex(n + 1000000), 40, '0'), '', 5, 18 FROM ${numbers}`,
    [START],
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, request_hash, day,
       created_at, sign_after, processed_at, failure_reason, transaction_hash, receipt_number, hold, hold_message, held_at)
     SELECT 're_' || lpad(n::text, 40, '0'), ${whose}, n::text, 'cs_test_' || lpad(n::text, 22, '0'), n::text,
       (CASE WHEN n % 1000 = 0 THEN 'processing' ELSE 'completed' END)::"RefundStatus", 1, 'USDT', CASE WHEN n % 1000 = 0 THEN 'tron' ELSE 'bsc' END,
       '', '2026-01-01', ${at}, now(), CASE WHEN n % 1000 > 0 THEN now() END, NULL, CASE WHEN n % 1000 > 0 THEN '0x' || n END,
       CASE WHEN n % 1000 > 0 THEN 'rcp_' || n END, CASE WHEN n % 1000 = 0 THEN 'no_tokens' END, CASE WHEN n % 1000 = 0 THEN 'why' END,
       CASE WHEN n % 1000 = 0 THEN now() END FROM ${numbers}`,
    values,
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, written_in)
     SELECT 'evt_' || lpad(n::text, 19, '0'), ${whose}, CASE n % 1000 WHEN 0 THEN 'payment.failed' ELSE 'payment.completed' END,
       'cs_test_' || lpad(n::text, 22, '0'), '{}', ${at}, n - ${ROWS} FROM ${numbers}`,
    values,
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO ledger_entries (kind, store_id, environment, session_id, created_at, transfer_id)
     SELECT 'transfer', ${whose}, 'cs_test_' || lpad(n::text, 22, '0'), ${at},
       (SELECT id FROM transfers WHERE session_id = 'cs_test_' || lpad(n::text, 22, '0')) FROM ${numbers}`,
    values,
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO payouts (id, store_id, environment, payout_id, amount, currency, network, request_hash, created_at)
     SELECT 'po_' || lpad(n::text, 40, '0'), ${whose}, n::text, 100, 'USDT', 'bsc', '', ${at} FROM ${numbers}`,
    values,
  );
  await db.pool.query('ANALYZE sessions, transfers, refunds, payouts, events, ledger_entries');
});
afterAll(() => db.close());

const read = (statement: { text: string; values: unknown[] }) => readPlan(db.pool, statement);

const place = (n: number, id: string): Place => ({ createdAt: new Date((START + n) * 1000), id });
const session = (n: number) => place(n, `cs_test_${String(n).padStart(22, '0')}`);
const pageRequest = (over: Partial<PageRequest>): PageRequest => ({ ...FIRST_PAGE, ...over });
const days = { from: new Date((START + 1000) * 1000), to: new Date((START + 4600) * 1000) };

test.each<[string, PaymentFilters, Partial<PageRequest>?]>([
  ['the first page', {}],
  ['a page in the middle', {}, { after: session(ROWS / 2) }],
  ['the page before one', {}, { before: session(ROWS / 2) }],
  ['the last page', {}, { after: session(PAGE_ROWS) }],
  ['a rare status', { status: 'failed' }],
  ['a status that nothing has', { status: 'pending' }],
  ['one kind of exception', { exception: 'partial' }, { after: session(ROWS / 2) }],
  ['an exception that no payment has', { exception: 'late' }],
  ['a rare currency', { currency: 'EUR' }, { before: session(ROWS / 2) }],
  ['a rare network', { network: 'bsc' }],
  ['what was refunded', { refund: 'whole' }],
  ['what was refunded in part', { refund: 'part' }, { after: session(ROWS / 2) }],
  ['a time long ago', days],
])('payments of %s are found by an index', async (_, filters, over = {}) => {
  const { ways, rowsRead } = await read(paymentsStatement(of, filters, pageRequest(over)));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

const all = { storeId: null, environment: 'test' } as const;
test.each<[string, PaymentFilters, Partial<PageRequest>?]>([
  ['the first page', {}],
  ['a page in the middle', {}, { after: session(ROWS / 2) }],
  ['the page before one', {}, { before: session(ROWS / 2) }],
  ['a rare status', { status: 'failed' }, { after: session(ROWS / 2) }],
  ['a status that nothing has', { status: 'pending' }],
  ['a rare network', { network: 'bsc' }],
  ['a network that nothing was paid on', { network: 'tron' }],
  ['what was refunded', { refund: 'whole' }, { before: session(ROWS / 2) }],
  ['what was refunded in part', { refund: 'part' }],
  ['a time long ago', days],
])('payments of all stores, %s, are found by an index', async (_, filters, over = {}) => {
  const { ways, rowsRead } = await read(paymentsStatement(all, filters, pageRequest(over)));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

test('a filter by refund finds every payment that was refunded in whole or in part, and no other', async () => {
  const numbers = (from: number) => Array.from({ length: ROWS / 2000 }, (_, at) => `order-${from + 2000 * at}`);
  const found = async (refund: 'whole' | 'part') => {
    const { rows } = await listPayments(db, of, { refund }, pageRequest({ limit: ROWS }));
    return rows.map(({ orderId }) => orderId).toReversed();
  };
  expect(await found('whole')).toEqual(numbers(500));
  expect(await found('part')).toEqual(numbers(1500));
});

const HASH = `0x${(77_770).toString(16).padStart(64, '0')}`;
const searches: readonly (readonly [string, string, string])[] = [
  ['an order', 'order-77770', '77770'],
  ['the beginning of orders', 'order-7777', '77770'],
  ['a session', session(77_770).id, '77770'],
  ['a transaction', HASH.toUpperCase().replace('0X', '0x'), '77770'],
  ['where it was paid to', `0x${(77_770).toString(16).padStart(40, '0')}`, '77770'],
  ['who paid it', `0x${(1_077_770).toString(16).padStart(40, '0')}`, '77770'],
  ['its amount', '777.70', '77770'],
  ['its amount with a comma and a currency', '777,70 usd', '77770'],
];
test.each(searches)('a payment is found by %s, using indexes', async (_, q, n) => {
  const { ways, rowsRead } = await read(paymentsStatement(of, { q }, FIRST_PAGE));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_SEARCHED);
  const { rows } = await listPayments(db, of, { q }, FIRST_PAGE);
  expect(rows.map(({ orderId }) => orderId)).toContain(`order-${n}`);
});

test.each([
  ['an order', 'order-77771'],
  ['a session', session(77_771).id],
  ['a transaction', `0x${(77_771).toString(16).padStart(64, '0')}`],
  ['where it was paid to', `0x${(77_771).toString(16).padStart(40, '0')}`],
  ['who paid it', `0x${(1_077_771).toString(16).padStart(40, '0')}`],
])('an operator finds a payment of any store by %s, using indexes', async (_, q) => {
  for (const scope of [all, others]) {
    const { ways, rowsRead } = await read(paymentsStatement(scope, { q }, FIRST_PAGE));
    expect(ways).not.toContain('Seq Scan');
    expect(rowsRead).toBeLessThanOrEqual(MAX_SEARCHED);
    const { rows } = await listAllPayments(db, scope, { q }, FIRST_PAGE);
    expect(rows).toMatchObject([{ orderId: 'order-77771', storeId: others.storeId, storeName: 'Test store' }]);
  }
  expect((await listAllPayments(db, of, { q }, FIRST_PAGE)).rows).toEqual([]);
});

test('D-07: no search finds anything of another store', async () => {
  const other = { q: `0x${(77_771).toString(16).padStart(40, '0')}` };
  expect((await listPayments(db, of, other, FIRST_PAGE)).rows).toEqual([]);
  for (const q of [session(77_771).id, `0x${(77_771).toString(16).padStart(64, '0')}`, 'order-77771', '777.71'])
    expect((await listPayments(db, of, { q }, FIRST_PAGE)).rows).toEqual([]);
});

test('pages forwards and backwards show every payment once, in one order', async () => {
  const ids: string[] = [];
  const { readCursor } = await import('./lists/keyset');
  let page = await listPayments(db, of, {}, FIRST_PAGE);
  expect(page.newer).toBeNull();
  for (let n = 0; n < 4; n++) {
    ids.push(...page.rows.map(({ id }) => id));
    page = await listPayments(db, of, {}, pageRequest({ after: readCursor(page.older as string) }));
  }
  expect(new Set(ids).size).toBe(4 * PAGE_ROWS);
  const back = await listPayments(db, of, {}, pageRequest({ before: readCursor(page.newer as string) }));
  expect(back.rows.map(({ id }) => id)).toEqual(ids.slice(-PAGE_ROWS));
});

const refund = (n: number) => place(n, `re_${String(n).padStart(40, '0')}`);
test.each<[string, RefundFilters, Partial<PageRequest>?]>([
  ['the first page', {}],
  ['a page in the middle', {}, { after: refund(ROWS / 2) }],
  ['held ones', { hold: 'any' }, { before: refund(ROWS / 2) }],
  ['those held for a reason that no refund has', { hold: 'frozen' }],
  ['a rare network', { network: 'tron' }],
  ['a rare status', { status: 'processing' }],
  ['a name', { q: '77770' }],
  ['a transaction', { q: HASH }],
  ['a time long ago', days],
])('refunds of %s are found by an index', async (_, filters, over = {}) => {
  const { ways, rowsRead } = await read(refundsStatement(of, filters, pageRequest(over)));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

const payout = (n: number) => place(n, `po_${String(n).padStart(40, '0')}`);
test.each<[string, Partial<PageRequest>]>([
  ['the first page', {}],
  ['a page in the middle', { after: payout(ROWS / 2) }],
  ['the page before one', { before: payout(ROWS / 2) }],
])('payouts of %s are found by an index', async (_, over) => {
  const { ways, rowsRead } = await read(payoutsStatement(of, pageRequest(over)));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

const event = (n: number) => place(n, `evt_${String(n).padStart(19, '0')}`);
test.each<[string, EventFilters, Partial<PageRequest>?]>([
  ['the first page', {}],
  ['a page in the middle', {}, { after: event(ROWS / 2) }],
  ['a rare type', { type: 'payment.failed' }, { after: event(ROWS / 2) }],
  ['one session', { q: session(77_770).id }],
  ['one order', { q: 'order-77770' }],
])('events of %s are found by an index', async (_, filters, over = {}) => {
  const { ways, rowsRead } = await read(eventsStatement(of, filters, pageRequest(over)));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

test.each<[string, object, Partial<PageRequest>?]>([
  ['the first page', {}],
  ['a page in the middle', {}, { after: place(ROWS / 2, String(ROWS / 2)) }],
  ['a time long ago', days],
])('a statement’s %s is found by an index', async (_, dates, over = {}) => {
  const { ways, rowsRead } = await read(statementStatement(of, dates, pageRequest(over)));
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

test('a page of a statement’s file reads each entry by indexes', async () => {
  const values = [of.storeId, of.environment, [`store:${of.storeId}`], days.from, '0', days.to, PAGE_ROWS];
  const { ways, rowsRead } = await read({ text: LINES, values });
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

test('a page of a payments export reads each payment by indexes', async () => {
  const values = [of.storeId, of.environment, days.from, '0', days.to, PAGE_ROWS, `store:${of.storeId}`];
  const { ways, rowsRead } = await read({ text: PAYMENT_LINES, values });
  expect(ways).not.toContain('Seq Scan');
  expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
});

test('an overview counts each payment of its days once, and earlier payments separately', async () => {
  // The last of 100,000 seconds lie on two days; half of them are this store's.
  const overview = await readStoreOverview({ pool: db.pool, clock: new TestClock(START + ROWS) }, of, 7);
  expect(overview.created).toBe(ROWS / 2);
  expect(overview.days).toHaveLength(7);
  const later = await readStoreOverview({ pool: db.pool, clock: new TestClock(START + ROWS + 8 * 86_400) }, of, 7);
  expect({ now: later.created, before: later.before.paid }).toEqual({ now: 0, before: 0 });
  // Seven days later, each day is compared with the one seven days earlier.
  const next = await readStoreOverview({ pool: db.pool, clock: new TestClock(START + ROWS + 7 * 86_400) }, of, 7);
  expect(next.before.days).toEqual(overview.days.map(({ volume }) => volume));
  // Every thousandth refund is held. Those have even numbers, so all of them belong to this store.
  expect(later.waiting.refunds).toBe(ROWS / 1000);
  const theirs = await readStoreOverview({ pool: db.pool, clock: new TestClock(START + ROWS) }, others, 7);
  expect({ created: theirs.created, refunds: theirs.waiting.refunds }).toEqual({ created: ROWS / 2, refunds: 0 });
});
