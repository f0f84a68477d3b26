import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openTables } from './open-tables';

let db: TestDatabase;
const of = { environment: 'test', network: 'bsc' } as const;

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  // Refunds are never deleted, and generated rows need no checks by triggers.
  await db.pool.query(`SET session_replication_role = replica; DELETE FROM refunds; RESET session_replication_role`);
});

type Row = { readonly status: string; readonly toRelease?: boolean; readonly network?: string };

const add = ({ status, toRelease = false, network = 'bsc' }: Row): Promise<unknown> =>
  db.pool.query(
    `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, request_hash, day,
       created_at, sign_after, processed_at, failure_reason, transaction_hash, receipt_number, to_release)
     VALUES ('re_1', 's', 'test', 'r', 'cs', 'o', $1::"RefundStatus", 1, 'USDT', $2, '', '2026-01-01', now(),
       CASE WHEN $1 <> 'pending' THEN now() END, CASE WHEN $1 IN ('completed', 'failed') THEN now() END,
       CASE WHEN $1 = 'failed' THEN 'why' END, CASE WHEN $1 = 'completed' THEN '0x' END, CASE WHEN $1 = 'completed' THEN 'rcp' END, $3)`,
    [status, network, toRelease],
  );

it.each<[string, Row, boolean]>([
  ['a pending payment', { status: 'pending' }, true],
  ['one in progress', { status: 'processing' }, true],
  ['a failed one that the signer does not know of', { status: 'failed', toRelease: true }, true],
  ['a failed one', { status: 'failed' }, false],
  ['a completed one', { status: 'completed' }, false],
  ['a pending one of another network', { status: 'pending', network: 'tron' }, false],
])('a run looks at the table that has %s: %#', async (_, row, isOpen) => {
  await add(row);
  expect(await openTables(db.pool, of)).toEqual(isOpen ? ['refunds'] : []);
});

it('the look-up reads partial indexes of open payments only', async () => {
  const texts: string[] = [];
  const pool = {
    query: (given: { text: string; values: unknown[] }) => {
      texts.push(given.text);
      return Promise.resolve({ rows: [] });
    },
  };
  await openTables(pool as never, of);
  const client = await db.pool.connect();
  await client.query('SET enable_seqscan = off');
  const { rows } = await client.query(`EXPLAIN ${texts[0]}`, [of.environment, of.network]);
  await client.query('RESET enable_seqscan');
  client.release();
  const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  expect(plan).not.toContain('Seq Scan');
  for (const name of ['refunds_open', 'refunds_to_release', 'payouts_open', 'payouts_to_release'])
    expect(plan).toContain(name);
});
