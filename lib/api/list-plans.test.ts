// A page costs the same whatever the number of rows: no listing scans a whole table, and none reads many more rows than it
// returns.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { LOCK_SESSION_SQL } from '@/lib/refunds/request/statement';
import { listStatement as refundsStatement, type RefundQuery } from '@/lib/refunds/list';
import { READ_REFUND_SQL } from '@/lib/refunds/read';
import { READ_PAYOUT_SQL } from '@/lib/payouts/read';
import { pageStatement, type PayoutQuery } from '@/lib/payouts/list';
import { listStatement as sessionsStatement, type SessionQuery } from '@/lib/payments/sessions/list';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig } from '@/testing/fixtures';
import { insertMany } from '@/testing/many-rows';
import { EVENT_TYPES } from '@/lib/webhooks/events/events';
import { listStatement as eventsStatement, type EventQuery } from '@/lib/webhooks/events/list';

const ROWS = 100_000;
/** The first of them was created at this time, and then one every second. */
const START = 1_700_000_000;
const LIMIT = 25;
/** A page, the row after it, and the reads of index pages and of the nonce's two tables. */
const MAX_READ = 4 * LIMIT;
let db: TestDatabase;
let caller: Omit<Caller, 'nonce'>;

beforeAll(async () => {
  db = await openTestDatabase();
  const [mine, other] = [await makeStore(db, testConfig()), await makeStore(db, testConfig())];
  caller = { key: { id: mine.keyId, storeId: mine.storeId, environment: 'test' } as Caller['key'] };
  // Every second row belongs to another store; one in a thousand failed, as is usual.
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO sessions (id, store_id, environment, order_id, status, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, closed_at, address_index, evm_address, tron_address, solana_address)
     SELECT 'cs_test_' || lpad(n::text, 22, '0'), CASE n % 2 WHEN 0 THEN $1 ELSE $2 END, 'test', n::text,
       (CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'expired' END)::"SessionStatus", 5, 'USD', 5, '{USDT}', '{bsc}',
       to_timestamp($3::bigint + n), to_timestamp($3::bigint + n + 1800), to_timestamp($3::bigint + n), n, '0x' || n, 'T' || n, 'S' || n
     FROM ${numbers}`,
    [mine.storeId, other.storeId, START],
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, written_in)
     SELECT 'evt_' || lpad(n::text, 19, '0'), CASE n % 2 WHEN 0 THEN $1 ELSE $2 END, 'test',
       CASE n % 1000 WHEN 0 THEN 'payment.failed' WHEN 500 THEN 'refund.failed' ELSE 'payment.completed' END, 'cs_test_' || lpad(n::text, 22, '0'), '{}',
       to_timestamp($3::bigint + n), n - ${ROWS}
     FROM ${numbers}`,
    [mine.storeId, other.storeId, START],
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, request_hash, day,
       created_at, sign_after, processed_at, failure_reason, transaction_hash, receipt_number)
     SELECT 're_' || lpad(n::text, 40, '0'), CASE n % 2 WHEN 0 THEN $1 ELSE $2 END, 'test', n::text,
       'cs_test_' || lpad(n::text, 22, '0'), n::text, (CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'completed' END)::"RefundStatus",
       1, 'USDT', 'bsc', '', '2026-01-01', to_timestamp($3::bigint + n), now(), now(), CASE WHEN n % 1000 = 0 THEN 'why' END,
       CASE WHEN n % 1000 > 0 THEN '0x' || n END, CASE WHEN n % 1000 > 0 THEN 'rcp_' || n END
     FROM ${numbers}`,
    [mine.storeId, other.storeId, START],
  );
  await insertMany(
    db.pool,
    ROWS,
    (numbers) => `
     INSERT INTO payouts (id, store_id, environment, payout_id, status, amount, currency, network, request_hash, created_at, sign_after,
       processed_at, failure_reason, transaction_hash)
     SELECT 'po_' || lpad(n::text, 40, '0'), CASE n % 2 WHEN 0 THEN $1 ELSE $2 END, 'test', n::text,
       (CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'completed' END)::"RefundStatus", 1, 'USDT', 'bsc', '', to_timestamp($3::bigint + n), now(),
       now(), CASE WHEN n % 1000 = 0 THEN 'why' END, CASE WHEN n % 1000 > 0 THEN '0x' || n END
     FROM ${numbers}`,
    [mine.storeId, other.storeId, START],
  );
  await db.pool.query('ANALYZE sessions, events, refunds, payouts');
});
afterAll(() => db.close());

type Node = {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
};
const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** What PostgreSQL actually read of a table: the scan types, and the number of rows. */
async function read(table: string, { text, values }: { text: string; values: unknown[] }) {
  const { rows } = await db.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Relation Name'] === table);
  const looked = nodes.map(
    (node) => node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
  );
  return { ways: nodes.map((node) => node['Node Type']), looked: Math.max(...looked) };
}
const at = (second: number): Date => new Date((START + second) * 1000);
const session = (n: number) => ({ createdAt: at(n), id: `cs_test_${String(n).padStart(22, '0')}` });
const event = (n: number) => ({ writtenIn: String(n - ROWS), id: `evt_${String(n).padStart(19, '0')}` });

test.each<[string, Partial<SessionQuery>]>([
  ['the first page', {}],
  ['a page in the middle', { after: session(ROWS / 2) }],
  ['the last page', { after: session(LIMIT) }],
  ['a rare status', { status: 'failed' }],
  ['a rare status from the middle on', { status: 'failed', after: session(ROWS / 2) }],
  ['a status that nothing has', { status: 'pending' }],
  ['one order', { orderId: '77770' }],
  ['an hour long ago', { from: at(1000), to: at(4600) }],
  ['a rare status long ago', { status: 'failed', from: at(1000), to: at(40_000) }],
])('the sessions of %s are found by an index', async (_, over) => {
  const query = { after: null, limit: LIMIT, ...over };
  const { ways, looked } = await read('sessions', sessionsStatement({ ...caller, nonce: randomUUID() }, query));
  expect(ways).not.toContain('Seq Scan');
  expect(looked).toBeLessThanOrEqual(MAX_READ);
});

const payout = (n: number) => ({ createdAt: at(n), id: `po_${String(n).padStart(40, '0')}` });

test.each<[string, Partial<PayoutQuery>]>([
  ['the first page', {}],
  ['a page in the middle', { after: payout(ROWS / 2) }],
  ['a rare status', { status: 'failed' }],
  ['a status that nothing has', { status: 'pending' }],
  ['an hour long ago', { from: at(1000), to: at(4600) }],
])('the payouts of %s are found by an index', async (_, over) => {
  const query = { after: null, limit: LIMIT, ...over };
  const { ways, looked } = await read('payouts', pageStatement({ ...caller, nonce: randomUUID() }, query));
  expect(ways).not.toContain('Seq Scan');
  expect(looked).toBeLessThanOrEqual(MAX_READ);
});

const refund = (n: number) => ({ createdAt: at(n), id: `re_${String(n).padStart(40, '0')}` });

test.each<[string, Partial<RefundQuery>]>([
  ['the first page', {}],
  ['a page in the middle', { after: refund(ROWS / 2) }],
  ['a rare status', { status: 'failed' }],
  ['a rare status from the middle on', { status: 'failed', after: refund(ROWS / 2) }],
  ['a status that nothing has', { status: 'pending' }],
  ['one session', { sessionId: session(77_770).id }],
  ['one order', { orderId: '77770' }],
  ['one order, from the middle on', { orderId: '770', after: refund(ROWS / 2) }],
  ['an hour long ago', { from: at(1000), to: at(4600) }],
])('the refunds of %s are found by an index', async (_, over) => {
  const query = { after: null, limit: LIMIT, ...over };
  const { ways, looked } = await read('refunds', refundsStatement({ ...caller, nonce: randomUUID() }, query));
  expect(ways).not.toContain('Seq Scan');
  expect(looked).toBeLessThanOrEqual(MAX_READ);
});

test.each([
  ['the reading of a refund', 'refunds', READ_REFUND_SQL],
  ['the lock of a refund’s session', 'sessions', LOCK_SESSION_SQL],
  ['the reading of a payout', 'payouts', READ_PAYOUT_SQL],
])('%s uses an index', async (_, table, text) => {
  const name = table === 'sessions' ? session(77_770).id : '77770';
  const values = [caller.key.id, randomUUID(), name, caller.key.storeId, caller.key.environment];
  const { ways, looked } = await read(table, { text, values });
  expect(ways).not.toContain('Seq Scan');
  expect(looked).toBeLessThanOrEqual(2);
});

const REFUNDS_ONLY = ['refund.succeeded', 'refund.failed'] as const;
/** What a key reads that has the scopes of a shop. */
const OF_SHOP = EVENT_TYPES.filter((type) => !type.startsWith('payout.'));

test.each<[string, Partial<EventQuery>]>([
  ['the first page', {}],
  ['a page in the middle', { after: event(ROWS / 2) }],
  ['the oldest page', { order: 'asc' }],
  ['a page in the middle, oldest first', { order: 'asc', after: event(ROWS / 2) }],
  ['nothing new', { order: 'asc', after: event(ROWS) }],
  ['a rare type', { types: ['payment.failed'] }],
  ['rare types only', { types: REFUNDS_ONLY }],
  ['rare types only, oldest first', { types: REFUNDS_ONLY, order: 'asc', after: event(ROWS / 2) }],
  ['a rare type, oldest first', { types: ['payment.failed'], order: 'asc', after: event(ROWS / 2) }],
  ['a shop, from the middle on', { types: OF_SHOP, order: 'asc', after: event(ROWS / 2) }],
  ['a shop, newest first', { types: OF_SHOP }],
  ['one session', { objectIds: [session(77_770).id, 're_none'] }],
])('the events of %s are found by an index', async (_, over) => {
  const query: EventQuery = { after: null, limit: LIMIT, order: 'desc', ...over };
  const { ways, looked } = await read('events', eventsStatement({ ...caller, nonce: randomUUID() }, query));
  expect(ways).not.toContain('Seq Scan');
  expect(looked).toBeLessThanOrEqual(MAX_READ);
});

test('the events of an old period are found without reading all later ones', async () => {
  const query: EventQuery = { after: null, limit: LIMIT, order: 'asc', from: at(90_000), to: at(90_200) };
  const { ways, looked } = await read('events', eventsStatement({ ...caller, nonce: randomUUID() }, query));
  expect(ways).not.toContain('Seq Scan');
  // The time is not part of the sort order, so the window is read whole and then sorted.
  expect(looked).toBeLessThanOrEqual(200);
});
