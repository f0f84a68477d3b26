// The bars of the status page: each second of a day is good, impaired, down or unknown, and unmeasured time is never good.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { daysOf, HISTORY_DAYS, readHistory, uptimeOf, type Day } from './history';
import { recordStatus } from './record-status';

/** 00:00 UTC. */
const MIDNIGHT = Date.UTC(2026, 10, 24) / 1000;
const config = testConfig({ TEST_ETHEREUM_URLS: 'http://127.0.0.1:1', TEST_BSC_URLS: 'http://127.0.0.1:1' });
let db: TestDatabase;
let clock: TestClock;

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock(MIDNIGHT);
  await db.pool.query('DELETE FROM chains; DELETE FROM endpoints; DELETE FROM status_days');
  await makeChain(db, 'ethereum', MIDNIGHT);
});

const context = () => testContext(db, clock, config);

/** Measures every 15 seconds for `seconds`, while the chain was last read `age` seconds ago. */
async function measure(seconds: number, age: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 15) {
    clock.advance(15);
    const scannedAt = new Date(clock.now().getTime() - age * 1000);
    await db.pool.query('UPDATE chains SET scanned_at = $1', [scannedAt]);
    await recordStatus(context());
  }
}

async function days(subject = 'ethereum'): Promise<readonly Day[]> {
  // The cached answer of an earlier test is older than this.
  clock.advance(20);
  return daysOf(await readHistory(context()), 'test', subject);
}

it('adds each measured second to its state, once for all workers', async () => {
  await measure(15, 0);
  await measure(120, 0);
  await recordStatus(context());
  await measure(60, 100);
  await measure(30, 1000);
  expect((await days()).at(-1)).toMatchObject({ good: 120, impaired: 60, down: 30, unknown: 0 });
});

it('counts a time in which no worker measured as unknown, never as good', async () => {
  await measure(60, 0);
  clock.advance(3600);
  await measure(60, 0);
  expect((await days()).at(-1)).toMatchObject({ good: 90, impaired: 0, down: 0, unknown: 3650 });
});

it('has 90 UTC days, all unknown for a subject that was never measured', async () => {
  await measure(30, 0);
  clock.advance(86_400);
  await measure(30, 0);
  const all = await days();
  expect(all).toHaveLength(HISTORY_DAYS);
  expect(all.at(-1)).toMatchObject({ date: '2026-11-25', good: 15 });
  expect(all.at(-2)).toMatchObject({ date: '2026-11-24', good: 15, unknown: 86_400 - 15 });
  expect(all.slice(0, -2).every(({ good, unknown }) => good === 0 && unknown > 0)).toBe(true);
  expect((await days('tron')).every(({ good, unknown }) => good === 0 && unknown > 0)).toBe(true);
});

it('records nothing about a network that was never scanned', async () => {
  await measure(30, 0);
  const { rows } = await db.pool.query('SELECT DISTINCT subject FROM status_days ORDER BY subject');
  expect(rows.map(({ subject }) => subject as string)).toEqual(['ethereum', 'refunds', 'webhooks']);
});

it('deletes days that are no longer shown', async () => {
  await measure(30, 0);
  clock.advance((HISTORY_DAYS - 1) * 86_400);
  await measure(15, 0);
  const count = async () =>
    (await db.pool.query<{ n: number }>('SELECT count(*)::int AS n FROM status_days')).rows[0]?.n;
  expect(await count()).toBe(6);
  clock.advance(86_400);
  await measure(15, 0);
  expect(await count()).toBe(6);
});

it('rounds the share of good time down, and reports none before a whole day was measured', () => {
  const day = { date: '2026-11-24', good: 86_399, impaired: 0, down: 0, unknown: 0 };
  expect(uptimeOf([day])).toBeNull();
  expect(uptimeOf([{ ...day, down: 1 }])).toBe(9999);
  expect(uptimeOf([day, day])).toBe(10_000);
});
