// The failing steps that the operator console shows. Recording them never stops a step.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listSteps } from '@/lib/dashboard/operator/jobs';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { recordFailure, recordSuccess } from './failures';
import { pauseAfter, runLoop } from './loop';

let db: TestDatabase;
const clock = new TestClock();
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE step_failures'));

test('consecutive failures are counted from the first, and closed by a success', async () => {
  const context = testContext(db, clock);
  const since = clock.now();
  await recordFailure(context, 'watch', new Error('first'));
  clock.advance(5);
  await recordFailure(context, 'watch', new Error('second'));
  expect(await listSteps(context)).toEqual([
    { step: 'watch', message: 'Error: second', failures: 2, since, lastAt: clock.now(), endedAt: null },
  ]);
  await recordSuccess(context, 'watch');
  expect(await listSteps(context)).toMatchObject([{ failures: 2, endedAt: clock.now() }]);
  clock.advance(5);
  await recordFailure(context, 'watch', new Error('third'));
  expect(await listSteps(context)).toMatchObject([{ failures: 1, since: clock.now(), endedAt: null }]);
});

test('no endpoint URL, which may contain a key, is stored in the database', async () => {
  const context = testContext(db, clock);
  await recordFailure(context, 'watch', new Error('fetch https://node.example/v2/s3cr3t failed\r\nbecause'));
  const [found] = await listSteps(context);
  expect(found?.message).toBe('Error: fetch … failed because');
});

test('an unavailable database does not cause a second failure', async () => {
  const gone = { ...testContext(db, clock), pool: { query: () => Promise.reject(new Error('gone')) } } as never;
  await expect(recordFailure(gone, 'watch', new Error('x'))).resolves.toBeUndefined();
  await expect(recordSuccess(gone, 'watch')).resolves.toBeUndefined();
});

test('the loop stores the failures and the recovery of its step', async () => {
  const context = testContext(db, clock);
  const stop = new AbortController();
  let runs = 0;
  const seen: unknown[] = [];
  await runLoop(
    context,
    {
      name: 'a step',
      everyMilliseconds: 0,
      run: async () => {
        runs++;
        seen.push(...(await listSteps(context)).map(({ endedAt }) => endedAt === null));
        if (runs === 1) throw new Error('once');
        if (runs === 3) stop.abort();
        return { more: true };
      },
    },
    stop.signal,
  );
  expect(seen).toEqual([true, false]);
});

test('a step pauses longer after each failure, and at most a second while the database is away', () => {
  const pauses = (error: Error) => [0, 1, 2, 3, 50].map((failures) => pauseAfter(error, failures));
  expect(pauses(new Error('the endpoint is down'))).toEqual([200, 400, 800, 1600, 10_000]);
  expect(pauses(new Error('Connection terminated unexpectedly'))).toEqual([200, 400, 800, 1000, 1000]);
  expect(pauses(new Error('Query read timeout'))).toEqual([200, 400, 800, 1000, 1000]);
  expect(pauses(Object.assign(new Error('read-only'), { code: '25006' }))).toEqual([200, 400, 800, 1000, 1000]);
});
