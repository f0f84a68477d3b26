import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { makeStore, TestClock, testConfig, testContext } from '@/lib/testing/fixtures';
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
const written = (at: Date) => vi.waitFor(async () => expect(await lastUsed()).toEqual(at));

/** The pool, counting what it is asked. */
function counting() {
  const query = vi.spyOn(db.pool, 'query');
  return { uses: openKeyUses(testContext(db, clock)), query, end: () => query.mockRestore() };
}

test('a thousand uses within a minute are one write, and the next minute is another', async () => {
  const { uses, query, end } = counting();
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
  end();
});

test('a process whose clock is behind never makes a use older', async () => {
  const ahead = clock.now();
  await db.prisma.apiKey.update({ where: { id: keyId }, data: { lastUsedAt: ahead } });
  const { uses, query, end } = counting();
  clock.advance(-30);
  uses(keyId);
  await Promise.all(query.mock.results.map(({ value }) => value as unknown));
  expect(await lastUsed()).toEqual(ahead);
  end();
});

test('a database that is away costs no request: the use is forgotten and the log says so', async () => {
  const refused = vi.spyOn(db.pool, 'query').mockImplementation(() => Promise.reject(new Error('away')) as never);
  const context = testContext(db, clock);
  const warn = vi.spyOn(context.log, 'warn');
  openKeyUses(context)(keyId);
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce());
  refused.mockRestore();
  expect(await lastUsed()).toBeNull();
});
