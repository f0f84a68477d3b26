// The alarm of a worker whose host disagrees with the database about the time.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { listOpenAlarms } from '@/lib/dashboard/operator/alarms';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { runAlarms } from './step';

let database: TestDatabase;
const clock = new TestClock();
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());

const context = () => testContext(database, clock, { ...testConfig(), endpoints: new Map() });
/** The clock of a host that differs from the database's, which is this machine's. */
const host = (seconds: number) => ({ now: () => new Date(Date.now() + seconds * 1000) });
async function alarm(seconds: number) {
  await database.pool.query('TRUNCATE alarms');
  await runAlarms(context(), host(seconds));
  // A shorter one is not shown.
  clock.advance(60);
  const found = (await listOpenAlarms(context())).find(({ kind }) => kind === 'clock');
  return found && [found.severity, found.count];
}

test('a difference of a second is none', async () => {
  expect([await alarm(0), await alarm(1), await alarm(-1)]).toEqual([undefined, undefined, undefined]);
});

test.each([
  [20, 'warning'],
  [-20, 'warning'],
  [90, 'critical'],
  [-90, 'critical'],
])('a host that differs by %d seconds is an alarm: %s', async (seconds, severity) => {
  const [found, count] = (await alarm(seconds)) ?? [];
  expect(found).toBe(severity);
  // A slow answer makes the difference less certain.
  expect(count).toBeGreaterThan(Math.abs(seconds) - 8);
  expect(count).toBeLessThanOrEqual(Math.abs(seconds));
});
