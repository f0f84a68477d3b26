// What operators see of the cost of transactions: by month and network, on the page and as a file, and coin that moved otherwise.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { coinStep } from '@/lib/ledger/coin/step';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openStoredSweeps, type StoredSweeps } from '@/testing/sweeps/stored-sweeps';
import { costsFile, readCostRows } from './costs';
import { readTreasury } from './read';

const COIN = 10n ** 18n;
const DAY = 86_400;
const config = testConfig({ LIVE_BSC_URLS: 'http://127.0.0.1:1' });
// 2027-01-15.
const clock = new TestClock();
let db: TestDatabase;
let bsc: StoredSweeps;

beforeAll(async () => {
  db = await openTestDatabase();
  bsc = await openStoredSweeps(db, clock, { network: 'bsc', decimals: 18 });
});
afterAll(() => db.close());

const context = () => testContext(db, clock, config);
const run = () => coinStep(context());

test('costs are shown by month and network for a year, and the file has all months', async () => {
  await bsc.sweep({ status: 'final', ended: DAY, fee: COIN / 1000n });
  await bsc.sweep({ status: 'reverted', ended: DAY, fee: COIN / 1000n });
  await bsc.sweep({ status: 'final', ended: 20 * DAY, fee: 1n });
  await bsc.sweep({ status: 'final', ended: 400 * DAY, fee: 5n });
  await bsc.rental({ ordered: DAY, cost: COIN, outcome: 'arrived' });
  await run();
  const none = '0.000000000000000000';
  const own = { network: 'bsc', coin: 'BNB', rentPaid: none, rentReturned: none };
  expect(await readCostRows(context(), 'live')).toEqual([
    { ...own, month: '2027-01', entries: 3, networkFees: '0.002000000000000000', energy: '1.000000000000000000' },
    { ...own, month: '2026-12', entries: 1, networkFees: '0.000000000000000001', energy: none },
  ]);
  expect(await readCostRows(context(), 'test')).toEqual([]);
  const file = await costsFile(context(), 'live');
  expect(file.headers.get('Content-Disposition')).toContain('costs-live-2027-01-15.csv');
  const lines = (await file.text()).trim().split('\r\n');
  expect(lines).toHaveLength(4);
  expect(lines[3]).toBe(`"2025-12","bsc","BNB","1","0.000000000000000005","${none}","${none}","${none}"`);
});

test('coin of the sponsor that came or left without a transaction is shown, and nothing while all is explained', async () => {
  const unexplained = async () => (await readTreasury(context(), 'live')).networks[0]?.unexplained;
  await bsc.state({ coin: 1000, readSecondsAgo: 0 });
  const since = clock.now();
  clock.advance(1);
  await run();
  expect(await unexplained()).toEqual([]);
  clock.advance(600);
  await bsc.sweep({ status: 'final', ended: 300, fee: COIN / 1000n });
  await bsc.state({ coin: 989, readSecondsAgo: 0 });
  clock.advance(1);
  await run();
  expect(await unexplained()).toMatchObject([{ came: '0.000000000000000000', went: '0.010000000000000000', since }]);
});
