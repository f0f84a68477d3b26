// The indexes of the tables that grow with every payment: how large they are beside the rows, that none repeats another, and that each
// frequent statement still finds its rows by one of them. Sessions are stored as in an installation: pending first, closed later.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { newStoreId } from '@/lib/platform/ids';
import { listStatement } from '@/lib/payments/sessions/list';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readPlan } from '@/testing/database/read-plan';
import type { PaymentFilters } from './lists/filters';
import { FIRST_PAGE, PAGE_ROWS } from './lists/keyset';
import { paymentsStatement } from './lists/payments';

const ROWS = 20_000;
const AT_ONCE = 2000;
const STORES = Array.from({ length: 100 }, newStoreId);
const MAX_RATIO = 1.2;
/** A page, or a few hundred rows that are cheaper to sort. lib/dashboard/list-plans.test.ts holds stricter limits on more rows. */
const MAX_READ = ROWS / 100;
let db: TestDatabase;

const hex = (part: string): string => `md5(n || '${part}')`;
const ID = `'cs_test_' || substr(${hex('id')}, 1, 22)`;
/** Of a hundred sessions: most are paid, many expire, some are canceled or fail. */
const STATUS = `(CASE WHEN n % 100 < 60 THEN 'completed' WHEN n % 100 < 88 THEN 'expired' WHEN n % 100 < 93 THEN 'canceled'
  ELSE 'failed' END)::"SessionStatus"`;
const AT = `'2026-06-01'::timestamptz + n * interval '78 seconds'`;
/** A tenth of all sessions belong to the first store, ever fewer to the others. */
const STORE = `($1::text[])[1 + floor(power((hashint4(n) & 1023) / 1024.0, 2) * ${STORES.length})::int]`;

const INSERT = (numbers: string): string => `
  INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks, offered_pairs,
    description, metadata, success_url, request_id, created_at, expires_at, address_index, evm_address, tron_address, solana_address)
  SELECT ${ID}, ${STORE}, 'test', 'order-' || substr(${hex('order')}, 1, 8), 500 + hashint4(n) % 400, CASE n % 10 WHEN 0 THEN 'EUR' ELSE 'USD' END,
    900, '{USDT,USDC}', '{bsc,ethereum,solana,tron}',
    '{bsc-USDT,bsc-USDC,ethereum-USDT,ethereum-USDC,solana-USDT,solana-USDC,tron-USDT}', 'Order ' || n,
    json_build_object('cart', n, 'customer', substr(${hex('customer')}, 1, 12)), 'https://shop.example/thanks/' || n,
    'req_' || substr(${hex('request')}, 1, 22), ${AT}, ${AT} + interval '30 minutes', n, '0x' || ${hex('evm')} || substr(${hex('evm2')}, 1, 8),
    'T' || substr(${hex('tron')} || '0', 1, 33), ${hex('solana')} || substr(${hex('solana2')}, 1, 12) FROM ${numbers}`;

const CLOSE = `UPDATE sessions s SET status = ${STATUS}, closed_at = created_at + interval '10 minutes',
    completed_currency = CASE WHEN n % 100 < 60 THEN 'USDT' END,
    completed_network = CASE WHEN n % 100 < 60 THEN (ARRAY['tron', 'bsc', 'ethereum'])[1 + n / 200 % 3] END,
    completed_transaction = CASE WHEN n % 100 < 60 THEN '0x' || ${hex('hash')} || ${hex('hash2')} END
  FROM (SELECT id, address_index AS n FROM sessions WHERE address_index BETWEEN $1 AND $2) k WHERE k.id = s.id`;

const EVENTS = (numbers: string): string => `
  INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, written_in)
  SELECT 'evt_' || substr(${hex('event')}, 1, 22), ${STORE}, 'test', 'payment.' || ${STATUS}, ${ID}, repeat(${hex('body')}, 12), ${AT}, n
  FROM ${numbers}`;

beforeAll(async () => {
  db = await openTestDatabase();
  const client = await db.pool.connect();
  try {
    // Generated rows need no checks by triggers.
    await client.query('SET session_replication_role = replica');
    for (let first = 1; first <= ROWS; first += AT_ONCE) {
      const numbers = `generate_series(${first}, ${first + AT_ONCE - 1}) n`;
      await client.query(INSERT(numbers), [STORES]);
      await client.query(CLOSE, [first, first + AT_ONCE - 1]);
      await client.query(EVENTS(numbers), [STORES]);
      await client.query('VACUUM sessions');
    }
    await client.query('VACUUM ANALYZE sessions, events');
    await client.query('RESET session_replication_role');
  } finally {
    client.release();
  }
}, 180_000);
afterAll(() => db.close());

it.each(['sessions', 'events'])('the indexes of %s are at most 1.2 times the table', async (table) => {
  const { rows } = await db.pool.query(
    `SELECT pg_indexes_size($1::regclass)::float8 / pg_table_size($1::regclass) AS ratio`,
    [table],
  );
  expect(rows[0].ratio).toBeGreaterThan(0.5);
  expect(rows[0].ratio).toBeLessThanOrEqual(MAX_RATIO);
});

it('no index begins with all columns of another one that has no other purpose', async () => {
  const { rows } = await db.pool.query(`
    SELECT short.indexrelid::regclass::text AS short, long.indexrelid::regclass::text AS long
    FROM pg_index short JOIN pg_index long ON long.indrelid = short.indrelid AND long.indexrelid <> short.indexrelid
      JOIN pg_class s ON s.oid = short.indexrelid JOIN pg_class l ON l.oid = long.indexrelid AND l.relam = s.relam
    WHERE short.indrelid = ANY ('{sessions,events,transfers,deliveries,delivery_attempts,ledger_entries,ledger_postings}'::regclass[])
      AND NOT short.indisunique AND short.indpred IS NULL AND long.indpred IS NULL AND short.indexprs IS NULL AND long.indexprs IS NULL
      AND (long.indkey::text || ' ') LIKE (short.indkey::text || ' %')`);
  expect(rows).toEqual([]);
});

it.each(['evm_address', 'tron_address', 'solana_address', 'address_index'])(
  'refuses a second session with the same %s',
  async (column) => {
    const columns = ['evm_address', 'tron_address', 'solana_address', 'address_index'];
    const values = columns.map((one) => (one === column ? `s.${one}` : one === 'address_index' ? '-1' : `'other'`));
    const insert = `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
      offered_pairs, created_at, expires_at, ${columns.join(', ')})
    SELECT 'cs_test_again', store_id, environment, 'again', 1, 'USD', 1, currencies, networks, offered_pairs, created_at, expires_at, ${values.join(', ')}
    FROM sessions s LIMIT 1`;
    await expect(db.pool.query(insert)).rejects.toMatchObject({
      code: '23505',
      constraint: expect.stringContaining(column) as string,
    });
  },
);

const largest = STORES[0] as string;

it.each(['pending', 'completed', 'expired', 'canceled', 'failed'] as const)(
  'the API’s list of %s sessions reads about a page',
  async (status) => {
    const caller = { key: { id: 1, storeId: largest, environment: 'test' }, nonce: 'none' } as never;
    const { ways, rowsRead } = await readPlan(
      db.pool,
      listStatement(caller, { status, after: null, limit: PAGE_ROWS }),
    );
    expect(ways).not.toContain('Seq Scan');
    expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
  },
);

it.each<[string, PaymentFilters]>([
  ['all', {}],
  ['completed', { status: 'completed' }],
  ['expired', { status: 'expired' }],
  ['a currency that no session has', { currency: 'JPY' }],
  ['a common currency', { currency: 'USD' }],
  ['a network', { network: 'bsc' }],
  ['a network that nothing was paid on', { network: 'solana' }],
])('the pages of %s read about a page, of one store and of all', async (_, filters) => {
  for (const storeId of filters.currency ? [largest] : [largest, null]) {
    const { ways, rowsRead } = await readPlan(
      db.pool,
      paymentsStatement({ storeId, environment: 'test' }, filters, FIRST_PAGE),
    );
    expect(ways).not.toContain('Seq Scan');
    expect(rowsRead).toBeLessThanOrEqual(MAX_READ);
  }
});

it.each(['evm_address', 'tron_address', 'solana_address'])(
  'an address is looked up in the hash index of %s',
  async (column) => {
    const { rows } = await db.pool.query(`EXPLAIN SELECT id FROM sessions WHERE ${column} = 'none'`);
    expect(rows[0]['QUERY PLAN']).toContain(`sessions_${column}_idx`);
  },
);
