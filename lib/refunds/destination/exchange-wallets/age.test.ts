import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { networksWithoutList, recordListDates } from './age';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

const DAY = 86_400_000;

test('warns the operator about TRON and BSC while they are followed live and their list is missing or old', async () => {
  const clock = new TestClock();
  const urls = { LIVE_TRON_URLS: 'https://tron.example', LIVE_ETHEREUM_URLS: 'https://ethereum.example' };
  const followed = testContext(db, clock, testConfig({ ...urls, LIVE_BSC_URLS: 'https://bsc.example' }));
  expect(await networksWithoutList(testContext(db, clock, testConfig()))).toEqual([]);
  expect((await networksWithoutList(followed)).toSorted()).toEqual(['bsc', 'tron']);
  await recordListDates(db.pool, ['tron', 'tron', 'solana'], { asOf: clock.now(), now: clock.now() });
  expect(await networksWithoutList(followed)).toEqual(['bsc']);
  clock.advance((followed.config.EXCHANGE_LIST_DAYS * DAY) / 1000);
  expect((await networksWithoutList(followed)).toSorted()).toEqual(['bsc', 'tron']);
});
