// The page of a payment costs the same however many events its store has.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { insertMany } from '@/testing/many-rows';
import { makeStore, testConfig } from '@/testing/fixtures';
import { readPaymentFacts } from './facts';

const EVENTS = 20_000;
const OTHER_STORES = 500;
const SESSION = 'cs_test_0000000000000000000001';

let db: TestDatabase;
let storeId: string;

/** Half of all events are one store's. PostgreSQL expects that it has as many as the average store. */
beforeAll(async () => {
  db = await openTestDatabase();
  ({ storeId } = await makeStore(db, testConfig()));
  await insertMany(
    db.pool,
    EVENTS,
    (numbers) => `INSERT INTO events (id, store_id, environment, type, object_id, body, created_at, written_in)
      SELECT 'evt_' || lpad(n::text, 19, '0'), CASE n % 2 WHEN 0 THEN $1 ELSE 'st_' || n % ${OTHER_STORES} END, 'test', 'payment.expired',
        'cs_test_' || lpad(n::text, 22, '0'), '{}', to_timestamp(1700000000 + n), n FROM ${numbers}`,
    [storeId],
  );
  await db.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, status, amount_total, currency, amount_due, currencies, networks, created_at,
       expires_at, closed_at, address_index, evm_address, tron_address, solana_address)
     VALUES ($1, $2, 'test', 'o', 'expired', 5, 'USD', 5, '{USDT}', '{bsc}', now(), now(), now(), 1, 'e', 't', 's')`,
    [SESSION, storeId],
  );
  await db.pool.query('ANALYZE events, sessions');
});
afterAll(() => db.close());

type Node = { readonly 'Index Name'?: string; readonly 'Actual Rows': number; readonly Plans?: readonly Node[] };
const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

test('reads the events of one payment, and not those of its store', async () => {
  const plans: Node[] = [];
  const explaining = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await db.pool.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      plans.push(rows[0]['QUERY PLAN'][0].Plan);
      return { rows: [] };
    },
  };
  await readPaymentFacts(explaining as never, { storeId, environment: 'test' }, SESSION);
  const ofEvents = plans.flatMap(nodesOf).filter((node) => node['Index Name']?.startsWith('events_'));
  expect(ofEvents.length).toBeGreaterThan(0);
  expect(Math.max(...ofEvents.map((node) => node['Actual Rows']))).toBeLessThanOrEqual(2);
});
