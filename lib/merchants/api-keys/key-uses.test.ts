import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openKeyUses } from './key-uses';

let db: TestDatabase;
let keyId: number;
const clock = new TestClock();

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  ({ keyId } = await makeStore(db, testConfig()));
});

const lastUsed = async () => (await db.prisma.apiKey.findUniqueOrThrow({ where: { id: keyId } })).lastUsedAt;
const TIMEOUT = { timeout: 10_000 };
const written = (at: Date) => vi.waitFor(async () => expect(await lastUsed()).toEqual(at), TIMEOUT);

/** Key uses over the pool, and the statements that they cause. */
function counting() {
  const query = vi.fn<(statement: { text: string; values: unknown[] }) => Promise<unknown>>((statement) =>
    db.pool.query(statement),
  );
  return { uses: openKeyUses({ ...testContext(db, clock), pool: { query } as unknown as Context['pool'] }), query };
}

test('a thousand uses within a minute cause one write, and the next minute another', async () => {
  const { uses, query } = counting();
  const first = clock.now();
  for (let n = 0; n < 1000; n++) uses(keyId);
  expect(query).toHaveBeenCalledTimes(1);
  await written(first);
  clock.advance(59);
  uses(keyId);
  expect(query).toHaveBeenCalledTimes(1);
  clock.advance(1);
  uses(keyId);
  expect(query).toHaveBeenCalledTimes(2);
  await written(clock.now());
});

test('a process whose clock is behind never makes a use older', async () => {
  const ahead = clock.now();
  await db.prisma.apiKey.update({ where: { id: keyId }, data: { lastUsedAt: ahead } });
  const { uses, query } = counting();
  clock.advance(-30);
  uses(keyId);
  await Promise.all(query.mock.results.map(({ value }) => value));
  expect(await lastUsed()).toEqual(ahead);
});

test('a database outage fails no request: the use is lost and the log says so', async () => {
  const query = () => Promise.reject(new Error('away'));
  const context = { ...testContext(db, clock), pool: { query } as unknown as Context['pool'] };
  const warn = vi.spyOn(context.log, 'warn');
  openKeyUses(context)(keyId);
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), TIMEOUT);
  expect(await lastUsed()).toBeNull();
});
