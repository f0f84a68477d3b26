import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Pool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { openSharedLimits, type SharedLimits } from './shared';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

const log = openLog('test', 'silent');
const LIMIT = { rate: 100, burst: 200 };
const STEP = 10;
let db: TestDatabase;
/** Unix milliseconds for every replica and for the database. */
let now = 1_800_000_000_000;
/** Each test has its own caller and its own time. */
let caller = '';

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(() => {
  now += 3_600_000;
  caller = `merchant ${now}`;
});

type Replica = SharedLimits<'key'>;
const open = (pool: Pick<Pool, 'query'> | null = db.pool, limit = LIMIT): Replica =>
  openSharedLimits({ pool, log, databaseNow: () => now }, { key: limit });

/** Sends each replica evenly spread requests for some seconds. Returns how many passed at each. */
async function run(replicas: readonly Replica[], demand: readonly number[], seconds: number): Promise<number[]> {
  const passed = replicas.map(() => 0);
  for (let at = 0; at < seconds * 1000; at += STEP) {
    now += STEP;
    for (const [n, replica] of replicas.entries()) {
      const [before, after] = [at, at + STEP].map((time) => Math.floor((time * (demand[n] ?? 0)) / 1000));
      for (let k = before as number; k < (after as number); k++) {
        if (replica.take('key', caller, now).wait === 0) passed[n] = (passed[n] as number) + 1;
      }
    }
    // An exchange takes a while, as over a network.
    if (at % (5 * STEP) === 0) await Promise.all(replicas.map((replica) => replica.settled()));
  }
  return passed;
}
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
function expectNear(passed: readonly number[], limit: number): void {
  expect(sum(passed)).toBeGreaterThanOrEqual(0.9 * limit);
  expect(sum(passed)).toBeLessThanOrEqual(1.1 * limit);
}

describe('several replicas', () => {
  test.each([
    ['two, evenly', [150, 150]],
    ['two unevenly', [400, 20]],
    ['three, evenly', [100, 100, 100]],
    ['three unevenly', [300, 50, 10]],
    ['three, one of them alone', [300, 0, 0]],
    ['three, all beyond the limit', [500, 400, 150]],
    ['three, hardly beyond the limit', [60, 40, 20]],
  ])('with demand %s let through what one replica would: a burst and then the rate', async (_, demand) => {
    const replicas = demand.map(() => open());
    expectNear(await run(replicas, demand, 10), LIMIT.burst + 10 * LIMIT.rate);
    // Later only the rate passes, to within a tenth.
    for (let n = 0; n < 3; n++) expectNear(await run(replicas, demand, 5), 5 * LIMIT.rate);
  });

  test('let everything through while their total is within the limit', async () => {
    const replicas = [open(), open(), open()];
    await run(replicas, [50, 20, 5], 5);
    expect(await run(replicas, [50, 20, 5], 10)).toEqual([500, 200, 50]);
  });

  test('follow demand that moves between replicas', async () => {
    const replicas = [open(), open(), open()];
    await run(replicas, [300, 5, 5], 10);
    expectNear(await run(replicas, [5, 300, 5], 10), 10 * LIMIT.rate);
    expectNear(await run(replicas, [5, 5, 300], 10), 10 * LIMIT.rate);
  });

  test('take over the share of a replica that stops', async () => {
    const replicas = [open(), open(), open()];
    await run(replicas, [200, 200, 200], 10);
    expectNear(await run(replicas.slice(1), [200, 200], 10), 10 * LIMIT.rate);
    expectNear(await run(replicas.slice(2), [200], 10), 10 * LIMIT.rate);
  });

  test('give a new replica its share', async () => {
    const replicas = [open(), open()];
    await run(replicas, [300, 300], 10);
    expectNear(await run([...replicas, open()], [300, 300, 300], 10), 10 * LIMIT.rate);
  });

  test('count callers separately', async () => {
    const [a, b] = [open(), open()];
    await run([a, b], [300, 300], 10);
    expect(a.take('key', 'other', now).wait).toBe(0);
    expect(b.take('key', 'other', now).wait).toBe(0);
  });

  test('share a small limit too, and never lock a caller out for good', async () => {
    const limit = { rate: 2, burst: 4 };
    const replicas = [open(db.pool, limit), open(db.pool, limit)];
    const passed = await run(replicas, [20, 20], 30);
    expectNear(passed, 4 + 30 * 2);
    expect(Math.min(...passed)).toBeGreaterThan(10);
  });
});

describe('the hot path', () => {
  test('does not wait for the database: one exchange a second runs beside any number of requests', async () => {
    let statements = 0;
    const counting = {
      query: (...given: Parameters<Pool['query']>) => {
        statements += 1;
        return db.pool.query(...given);
      },
    } as Pick<Pool, 'query'>;
    const limits = open(counting);
    await run([limits], [2000], 10);
    // Ten exchanges, and one deletion of old callers.
    expect(statements).toBeLessThanOrEqual(12);
    const taken = limits.take('key', caller, now);
    expect(taken).not.toBeInstanceOf(Promise);
  });

  test('continues with its last share while the database is away', async () => {
    let isAway = false;
    const flaky = {
      query: (...given: Parameters<Pool['query']>) =>
        isAway ? Promise.reject(new Error('the database is away')) : db.pool.query(...given),
    } as Pick<Pool, 'query'>;
    const replicas = [open(flaky), open(flaky)];
    await run(replicas, [300, 100], 10);
    isAway = true;
    expectNear(await run(replicas, [300, 100], 10), 10 * LIMIT.rate);
    isAway = false;
    expectNear(await run(replicas, [300, 100], 10), 10 * LIMIT.rate);
  });
});

describe('one replica', () => {
  test('lets a burst pass whole; the next request waits', () => {
    const limits = open(null);
    for (let n = 0; n < 200; n++) expect(limits.take('key', 'a', now).wait).toBe(0);
    expect(limits.take('key', 'a', now)).toEqual({ wait: 1, remaining: 0, reset: 2 });
  });

  test('reports what is left and when the whole burst is available again', () => {
    const limits = open(null);
    expect(limits.take('key', 'a', now)).toEqual({ wait: 0, remaining: 199, reset: 1 });
    expect(limits.peek('key', 'a', now)).toEqual({ wait: 0, remaining: 199, reset: 1 });
    expect(limits.peek('key', 'a', now + 1000)).toEqual({ wait: 0, remaining: 200, reset: 0 });
  });

  test('lets at most burst + rate × seconds pass, and waiting for the reported time is enough', () => {
    const limit = { rate: 50, burst: 20 };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 300 }), (gaps) => {
        const limits = open(null, limit);
        let [time, passed] = [now, 0];
        for (const gap of gaps) {
          time += gap;
          const { wait } = limits.take('key', 'a', time);
          if (wait === 0) passed += 1;
          else expect(limits.peek('key', 'a', time + wait * 1000).wait).toBe(0);
        }
        expect(passed).toBeLessThanOrEqual(20 + (50 * (time - now)) / 1000 + 1);
      }),
      { numRuns: 50 },
    );
  });

  test('allows no more after a restart', async () => {
    await run([open()], [300], 10);
    expectNear(await run([open()], [300], 20), 20 * LIMIT.rate);
  });

  test('does not block for hours after the database clock was ahead for a moment', async () => {
    const limits = open();
    await run([limits], [300], 5);
    await db.pool.query('UPDATE rate_shares SET full_at = full_at + 86400000 WHERE caller = $1', [`key:${caller}`]);
    await run([limits], [300], 30);
    expectNear(await run([limits], [300], 10), 10 * LIMIT.rate);
  });

  test('works after the clock was set back', () => {
    const limits = open(null);
    for (let n = 0; n < 150; n++) limits.take('key', 'a', now);
    for (let n = 0; n < 50; n++) expect(limits.take('key', 'a', now - 60_000).wait).toBe(0);
    expect(limits.take('key', 'a', now - 60_000).wait).toBe(1);
    // Tokens used then come back by the new time, as the answer promised.
    expect(limits.take('key', 'a', now - 59_000).wait).toBe(0);
  });

  test.each([
    ['alone', null],
    ['while the database hangs', { query: () => new Promise<never>(() => undefined) }],
  ])('forgets callers beyond its memory %s, however many send requests', (_, pool) => {
    const limits = open(pool);
    const remembered = vi.spyOn(Map.prototype, 'set');
    for (let n = 0; n < 60_000; n++) limits.take('key', `${caller} ${n}`, now);
    const sizes = remembered.mock.contexts.map((map) => (map as Map<unknown, unknown>).size);
    remembered.mockRestore();
    expect(sizes.reduce((most, size) => Math.max(most, size), 0)).toBeLessThanOrEqual(50_000);
  });
});
