// The series of receipt numbers: without gaps, never given twice, and apart for each store, environment and restored database.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { issueReceipt } from './number';

let database: TestDatabase;
let context: Context;
const clock = new TestClock();

beforeAll(async () => {
  database = await openTestDatabase();
  context = testContext(database, clock, testConfig());
});
afterAll(() => database.close());

const describeStore = (storeId: string, name: string | null = 'Example GmbH') =>
  database.pool.query('UPDATE stores SET legal_name = $2, legal_address = $3, vat_number = $4 WHERE id = $1', [
    storeId,
    name,
    name && 'Street 1\n12345 Town',
    name && 'DE123456789',
  ]);
async function store(name: string | null = 'Example GmbH'): Promise<string> {
  const { storeId } = await makeStore(database, context.config);
  await describeStore(storeId, name);
  return storeId;
}
const paid = (storeId: string, over: object = {}): Promise<string> =>
  makePaidSession(database, { storeId, closedAt: clock.now(), cents: 100, ...over });
const issue = async (sessionId: string): Promise<string | undefined> =>
  (await issueReceipt(context, sessionId))?.number;
const countOf = async (storeId: string): Promise<number> =>
  (await database.pool.query('SELECT FROM receipt_numbers WHERE store_id = $1', [storeId])).rowCount ?? 0;

/** Without the triggers that keep issued numbers as they are. */
async function unguarded(text: string, values: unknown[] = []): Promise<void> {
  const client = await database.pool.connect();
  await client.query('BEGIN');
  await client.query('SET LOCAL session_replication_role = replica');
  await client.query(text, values);
  await client.query('COMMIT');
  client.release();
}

test('a receipt gets its number and seller when it is first issued, and the same ones ever after', async () => {
  const storeId = await store();
  const [one, other] = [await paid(storeId), await paid(storeId)];
  const first = await issueReceipt(context, one);
  expect(first).toMatchObject({
    number: 'T1-000001',
    legalName: 'Example GmbH',
    legalAddress: ['Street 1', '12345 Town'],
    vatNumber: 'DE123456789',
  });
  await describeStore(storeId, 'Renamed AG');
  clock.advance(3600);
  expect(await issueReceipt(context, one)).toEqual(first);
  expect(await issueReceipt(context, other)).toMatchObject({ number: 'T1-000002', legalName: 'Renamed AG' });
});

test('receipts that are issued at the same time get different numbers without a gap', async () => {
  const storeId = await store();
  const ids = await Promise.all(Array.from({ length: 20 }, () => paid(storeId)));
  const numbers = await Promise.all([...ids, ...ids].map(issue));
  expect(numbers.slice(20)).toEqual(numbers.slice(0, 20));
  const expected = Array.from({ length: 20 }, (_, at) => `T1-${String(at + 1).padStart(6, '0')}`);
  expect(new Set(numbers)).toEqual(new Set(expected));
});

test('an insertion that is rolled back uses up no number', async () => {
  const storeId = await store();
  const [one, other] = [await paid(storeId), await paid(storeId)];
  const client = await database.pool.connect();
  await client.query('BEGIN');
  await client.query(
    `INSERT INTO receipt_numbers (store_id, environment, session_id, issued_at, legal_name, legal_address)
     VALUES ($1, 'test', $2, now(), 'a', 'b')`,
    [storeId, one],
  );
  await client.query('ROLLBACK');
  client.release();
  expect([await issue(other), await issue(one)]).toEqual(['T1-000001', 'T1-000002']);
});

test('no statement can choose, change or remove a number', async () => {
  const storeId = await store();
  const one = await paid(storeId);
  await database.pool.query(
    `INSERT INTO receipt_numbers (store_id, environment, session_id, issued_at, legal_name, legal_address, series, number)
     VALUES ($1, 'test', $2, now(), 'a', 'b', 7, 700)`,
    [storeId, one],
  );
  expect(await issue(one)).toBe('T1-000001');
  for (const text of [
    'UPDATE receipt_numbers SET number = 9',
    'DELETE FROM receipt_numbers',
    'TRUNCATE receipt_numbers',
  ])
    await expect(database.pool.query(text)).rejects.toThrow('append-only');
});

test('stores and environments have series of their own', async () => {
  const [mine, other] = [await store(), await store()];
  const ids = [await paid(mine), await paid(other), await paid(mine, { environment: 'live' })];
  expect(await Promise.all(ids.map(issue))).toEqual(['T1-000001', 'T1-000001', '1-000001']);
});

test('a store without legal details, and a session that is not complete, get no number', async () => {
  const without = await store(null);
  expect(await issueReceipt(context, await paid(without))).toBeNull();
  const storeId = await store();
  expect(await issueReceipt(context, await paid(storeId, { status: 'expired' }))).toBeNull();
  expect(await issueReceipt(context, 'cs_test_unknown')).toBeNull();
  expect([await countOf(without), await countOf(storeId)]).toEqual([0, 0]);
});

/** Restoring writes each row in a new transaction. */
async function restoreDump(storeId: string): Promise<void> {
  const { rows } = await database.pool.query('SELECT * FROM receipt_numbers WHERE store_id = $1', [storeId]);
  await unguarded('DELETE FROM receipt_numbers WHERE store_id = $1', [storeId]);
  for (const row of rows)
    await unguarded('INSERT INTO receipt_numbers SELECT * FROM json_populate_record(NULL::receipt_numbers, $1)', [
      JSON.stringify(row),
    ]);
}
const moveServer = (storeId: string): Promise<void> =>
  unguarded(
    `UPDATE receipt_numbers SET place = 'another', written_by = pg_current_xact_id()::xid WHERE store_id = $1`,
    [storeId],
  );

test.each([
  ['came from another server or time line', moveServer],
  ['was restored from a dump on the same server', restoreDump],
])('a database that %s begins a new series, because it does not know the last numbers', async (_, restore) => {
  const storeId = await store();
  const [one = '', two = '', three = '', four = ''] = await Promise.all(Array.from({ length: 4 }, () => paid(storeId)));
  expect([await issue(one), await issue(two)]).toEqual(['T1-000001', 'T1-000002']);
  await restore(storeId);
  expect([await issue(three), await issue(four)]).toEqual(['T2-000001', 'T2-000002']);
  expect(await issue(one)).toBe('T1-000001');
});
