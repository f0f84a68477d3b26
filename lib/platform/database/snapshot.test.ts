import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openSnapshot } from './snapshot';

const LONG = 600_000;
let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase(1);
  await db.pool.query('CREATE TABLE things (n int)');
});
afterAll(() => db.close());

const count = async (on: { query: TestDatabase['pool']['query'] }): Promise<number> =>
  (await on.query<{ n: number }>('SELECT count(*)::int AS n FROM things')).rows[0]?.n ?? -1;

it('reads one state, writes nothing, and gives its connection back once', async () => {
  const other = await openTestDatabase(1);
  await other.pool.query('CREATE TABLE things (n int)');
  const { db: snapshot, end } = await openSnapshot(other.pool, { idle: LONG, whole: LONG });
  await expect(snapshot.query('INSERT INTO things VALUES (1)')).rejects.toMatchObject({ code: '25006' });
  await end();
  await end();
  await expect(snapshot.query('SELECT 1')).rejects.toThrow('has ended');
  expect(await count(other.pool)).toBe(0);
  await other.close();
});

it.each([
  ['between two queries', { idle: 20, whole: LONG }],
  ['as a whole', { idle: LONG, whole: 20 }],
])('gives its connection back by itself when a reader is too slow %s', async (_, limits) => {
  const { db: snapshot, end } = await openSnapshot(db.pool, limits);
  await snapshot.query('SELECT 1');
  // The pool has one connection, so this waits for it.
  expect(await count(db.pool)).toBe(0);
  await expect(snapshot.query('SELECT 1')).rejects.toThrow('too slow');
  await end();
  expect(await count(db.pool)).toBe(0);
});

it('ends when the connection is lost', async () => {
  const { db: snapshot, end } = await openSnapshot(db.pool, { idle: LONG, whole: LONG });
  await expect(snapshot.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toThrow('terminat');
  await end();
  expect(await count(db.pool)).toBe(0);
});
