// The totals by store and day: whatever happens, the overview shows what a scan of the sessions would show.

import fc from 'fast-check';
import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readStoreOverview } from '@/lib/dashboard/payment/overview';
import type { Clock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig, testContext } from '@/testing/fixtures';
import { rollUpSessions } from './roll-up';

const DAY = 86_400_000;
/** The database decides when a day has ended, so the tests use its time. */
const clock: Clock = { now: () => new Date() };
let db: TestDatabase;
const stores: string[] = [];
let made = 0;

beforeAll(async () => {
  db = await openTestDatabase();
  for (let n = 0; n < 3; n++) stores.push((await makeStore(db, testConfig())).storeId);
});
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE sessions, session_totals, session_total_days, session_total_changes CASCADE'));

const rollUp = async (): Promise<void> => {
  while ((await rollUpSessions(testContext(db, clock))).more);
};

/** `day`: days ago. Returns the number of the session. */
async function add(store: number, day: number): Promise<number> {
  const n = ++made;
  await db.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks, offered_pairs,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address)
     VALUES ('cs_test_' || $1::int, $2, 'test', $1::text, $4, 'USD', $4, '{USDT}', '{bsc}', '{bsc-USDT}', $3, $3, $1::int, 'e' || $1, 't' || $1, 's' || $1)`,
    [n, stores[store], new Date(Date.now() - day * DAY), 100 + n],
  );
  return n;
}

const close = (n: number, status: string): Promise<unknown> =>
  db.pool.query(
    `UPDATE sessions SET status = $2::"SessionStatus", closed_at = now(),
       completed_network = CASE WHEN $2 = 'completed' THEN 'bsc' END, completed_currency = CASE WHEN $2 = 'completed' THEN 'USDT' END,
       completed_transaction = CASE WHEN $2 = 'completed' THEN 'x' END
     WHERE id = 'cs_test_' || $1::int AND status = 'pending'`,
    [n, status],
  );
const refund = (n: number): Promise<unknown> =>
  db.pool.query(
    `UPDATE sessions SET amount_refunded = amount_refunded + 1 WHERE id = 'cs_test_' || $1::int AND status = 'completed' AND amount_refunded < amount_due`,
    [n],
  );

const overview = (store: number, pool: Pick<TestDatabase['pool'], 'query'> = db.pool) =>
  readStoreOverview({ pool, clock }, { storeId: stores[store] as string, environment: 'test' }, 90);

/** The same from the sessions alone. */
async function scanned(store: number): Promise<unknown> {
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('DELETE FROM session_total_days');
    return await overview(store, client);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const changes = async (): Promise<number> =>
  Number((await db.pool.query('SELECT count(*) FROM session_total_changes')).rows[0].count);

it('the overview from totals equals the scan of the sessions after every history', { timeout: 240_000 }, async () => {
  const action = fc.oneof(
    fc.record({ do: fc.constant('add' as const), store: fc.nat(2), day: fc.integer({ min: 0, max: 100 }) }),
    fc.record({
      do: fc.constant('close' as const),
      of: fc.nat(),
      status: fc.constantFrom('completed', 'expired', 'canceled', 'failed'),
    }),
    fc.record({ do: fc.constant('refund' as const), of: fc.nat() }),
    fc.record({ do: fc.constant('roll up' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 30 }), async (actions) => {
      await db.pool.query('TRUNCATE sessions, session_totals, session_total_days, session_total_changes CASCADE');
      const numbers: number[] = [];
      for (const one of actions) {
        if (one.do === 'add') numbers.push(await add(one.store, one.day));
        else if (one.do === 'roll up') await rollUp();
        else if (numbers.length > 0) {
          const n = numbers[one.of % numbers.length] as number;
          await (one.do === 'close' ? close(n, one.status) : refund(n));
        }
      }
      for (const store of [0, 1, 2]) expect(await overview(store)).toEqual(await scanned(store));
      await rollUp();
      expect(await changes()).toBe(0);
      for (const store of [0, 1, 2]) expect(await overview(store)).toEqual(await scanned(store));
    }),
    { numRuns: 8 },
  );
});

it('reads past days from their totals, and today from the sessions', async () => {
  await close(await add(0, 5), 'completed');
  await add(0, 0);
  await rollUp();
  await db.pool.query('UPDATE session_totals SET count = count + 1000');
  expect((await overview(0)).created).toBe(1002);
});

it('leaves no mark for changes of today, and reads a day again from its sessions as soon as one of them changed', async () => {
  const [old, now] = [await add(0, 5), await add(0, 0)];
  await rollUp();
  await close(now, 'completed');
  expect(await changes()).toBe(0);
  await close(old, 'completed');
  expect(await changes()).toBe(1);
  expect((await overview(0)).paid).toBe(2);
  await rollUp();
  expect(await changes()).toBe(0);
  expect((await overview(0)).paid).toBe(2);
});

it('keeps the mark of a change that commits while its day is added up, so that no total misses it', async () => {
  const old = await add(0, 5);
  await rollUp();
  await refund(old);
  const other = await add(0, 5);
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await client.query(`UPDATE sessions SET status = 'expired', closed_at = now() WHERE id = 'cs_test_' || $1::int`, [
    other,
  ]);
  await rollUp();
  await client.query('COMMIT');
  client.release();
  expect(await changes()).toBe(1);
  expect(await overview(0)).toEqual(await scanned(0));
  await rollUp();
  expect(await overview(0)).toEqual(await scanned(0));
});

it('two workers at once leave the totals of one', async () => {
  for (let day = 1; day < 20; day++) await close(await add(day % 3, day), 'completed');
  await Promise.all([rollUp(), rollUp(), rollUp()]);
  await rollUp();
  for (const store of [0, 1, 2]) expect(await overview(store)).toEqual(await scanned(store));
});

it('a restored database without totals is added up again', async () => {
  await close(await add(0, 5), 'completed');
  await rollUp();
  await db.pool.query('TRUNCATE session_totals, session_total_days, session_total_changes');
  expect((await overview(0)).paid).toBe(1);
  await rollUp();
  expect((await db.pool.query('SELECT sum(count)::int AS n FROM session_totals')).rows[0].n).toBe(1);
});

it('a run without anything to add up changes no row', async () => {
  await rollUp();
  const client = await db.pool.connect();
  try {
    await client.query('BEGIN');
    const pool = { connect: () => Promise.resolve(inOpen(client)) } as never;
    expect(await rollUpSessions({ ...testContext(db, clock), pool })).toEqual({ more: false });
    // A transaction gets a number with its first write.
    expect((await client.query('SELECT pg_current_xact_id_if_assigned() AS id')).rows).toEqual([{ id: null }]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

/** The connection of an open transaction, which nothing else begins, ends or gives back. */
const inOpen = (client: PoolClient): unknown => ({
  query: (...given: [never]) =>
    typeof given[0] === 'string' && /^(BEGIN|COMMIT)$/.test(given[0]) ? Promise.resolve() : client.query(...given),
  on: () => {},
  off: () => {},
  release: () => {},
});
