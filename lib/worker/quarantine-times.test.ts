// A clock that ran ahead puts no row of the quarantine off for longer than the longest honest pause.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { quarantine } from '@/lib/platform/database/quarantine';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { maintainQuarantine } from './quarantine';

const DAY = 86_400;
let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

it('retries a row at once whose time a wrong clock wrote, and leaves the longest honest pause as it is', async () => {
  const clock = new TestClock();
  const context = testContext(db, clock, testConfig());
  const fail = (id: string, longestPauseSeconds?: number) =>
    quarantine(
      { ...context, db: db.pool },
      'a step',
      { kind: 'account', id, ...(longestPauseSeconds ? { longestPauseSeconds } : {}) },
      new Error('it fails'),
    );
  // The pause doubles until it is the longest one.
  for (let times = 0; times < 20; times++) await fail('flooded', DAY);
  clock.advance(365 * DAY);
  await fail('wrong');
  clock.advance(-365 * DAY);
  await maintainQuarantine(context);
  const { rows } = await db.pool.query<{ subject_id: string; next_run_at: Date }>(
    'SELECT subject_id, next_run_at FROM quarantine ORDER BY subject_id',
  );
  expect(rows).toEqual([
    { subject_id: 'flooded', next_run_at: new Date(clock.now().getTime() + DAY * 1000) },
    { subject_id: 'wrong', next_run_at: clock.now() },
  ]);
});
