// Requests to endpoints are counted across all processes, kept through database trouble, and forecast.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openedBudgets } from '@/lib/networks/endpoints/budgets';
import { openChains } from '@/lib/networks/registry';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { readMetrics } from '@/lib/installation/metrics/metrics';
import { forecastOf, readUsage } from './read-usage';
import { recordUsage } from './record-usage';

const HOUR = 3_600_000;
const clock = openTestClock(0);
let db: TestDatabase;

beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('TRUNCATE endpoint_usage');
  clock.set(Date.UTC(2026, 10, 22, 6) / 1000);
});

/** A process with its own counters on the same database. */
function openProcess() {
  const config = testConfig({
    TEST_ETHEREUM_URLS: 'http://127.0.0.1:1',
    TEST_ETHEREUM_BUDGETS: 'day=1000;eth_getLogs=10',
  });
  openChains(config, { clock, log: silentLog() });
  const [own] = openedBudgets(config);
  return { context: testContext(db, clock, config), budget: own!.budget };
}

it('adds up the requests of several processes, and each reads the others’ part of the day', async () => {
  const [one, other] = [openProcess(), openProcess()];
  await one.budget.take(['eth_getLogs', 'eth_chainId']);
  await recordUsage(one.context);
  await other.budget.take(['eth_chainId']);
  await recordUsage(other.context);
  expect(other.budget.usedToday()).toBe(12);
  expect(await readUsage(one.context)).toMatchObject([{ units: 12, forecast: null }]);
  clock.set(Date.UTC(2026, 10, 22, 8) / 1000);
  // 12 units in two hours make 6 in each of the 16 hours that are left.
  expect(await readUsage(one.context)).toEqual([
    {
      ...{ environment: 'test', network: 'ethereum', position: 1 },
      ...{ calls: 3, units: 12, unitsPerDay: 1000, forecast: 108 },
    },
  ]);
  await recordUsage(one.context);
  expect(await readUsage(one.context)).toMatchObject([{ calls: 3 }]);
});

it('keeps counts that could not be stored, and a day’s usage on its day', async () => {
  const { context, budget } = openProcess();
  await budget.take(['eth_getLogs']);
  await db.pool.query('ALTER TABLE endpoint_usage RENAME TO elsewhere');
  await expect(recordUsage(context)).rejects.toThrow('does not exist');
  await db.pool.query('ALTER TABLE elsewhere RENAME TO endpoint_usage');
  clock.set(Date.UTC(2026, 10, 23) / 1000);
  await budget.take(['eth_chainId']);
  await recordUsage(context);
  const { rows } = await db.pool.query('SELECT day::text, units FROM endpoint_usage ORDER BY day');
  expect(rows).toEqual([
    { day: '2026-11-22', units: 10 },
    { day: '2026-11-23', units: 1 },
  ]);
  expect(budget.usedToday()).toBe(1);
});

it('is among the metrics', async () => {
  const { context, budget } = openProcess();
  await budget.take(['eth_getLogs']);
  await recordUsage(context);
  clock.set(Date.UTC(2026, 10, 22, 12) / 1000);
  const text = await readMetrics(context);
  const labels = '{environment="test",network="ethereum",position="1"}';
  for (const [name, value] of [
    ['calls_today', 1],
    ['units_today', 10],
    ['units_forecast', 30],
    ['units_per_day', 1000],
  ]) {
    expect(text).toContain(`stabletill_endpoint_${name}${labels} ${value}`);
  }
});

it.each([
  [{ units: 100, before: null, passedMs: 6 * HOUR, measuredMs: 6 * HOUR }, 400],
  [{ units: 100, before: 5, passedMs: 24 * HOUR, measuredMs: 24 * HOUR }, 100],
  [{ units: 10, before: 2400, passedMs: HOUR / 2, measuredMs: HOUR / 2 }, 2360],
  [{ units: 10, before: null, passedMs: HOUR / 2, measuredMs: HOUR / 2 }, null],
  [{ units: 100, before: null, passedMs: 12 * HOUR, measuredMs: 2 * HOUR }, 700],
  [{ units: 100, before: null, passedMs: 12 * HOUR, measuredMs: HOUR / 2 }, null],
])(
  'forecasts the day from the time in which usage was measured, or early on from the day before: %j',
  (known, expected) => {
    expect(forecastOf(known)).toBe(expected);
  },
);
