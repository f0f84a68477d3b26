// Operators learn when the treasury wallet or the sponsor is outside its water marks: on the page Treasury, by an alarm, and in the chart.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readTreasury } from '@/lib/dashboard/operator/treasury/read';
import { readHistory } from '@/lib/dashboard/operator/treasury/wallet-history';
import { readFacts } from '@/lib/installation/alarms/facts';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openSteps } from '@/lib/worker/steps';
import { openStoredSweeps, type StoredSweeps } from '@/testing/sweeps/stored-sweeps';

const TREASURY = '0x7982d9b7cffc2f9f186b06a6c109d593908c3762';
const [USD, COIN] = [10n ** 18n, 10n ** 16n];
const config = testConfig({
  LIVE_BSC_URLS: 'http://127.0.0.1:1',
  TREASURY_WALLETS: `bsc@mainnet=${TREASURY}`,
  TREASURY_LEVELS: 'bsc@mainnet/USDT=100:500',
  SPONSOR_LEVELS: 'bsc@mainnet/BNB=0.05:1',
});
const clock = new TestClock();
let db: TestDatabase;
let bsc: StoredSweeps;
let chainId: number;
beforeAll(async () => {
  db = await openTestDatabase();
  bsc = await openStoredSweeps(db, clock, { network: 'bsc', decimals: 18 });
  const { rows } = await db.pool.query(`SELECT id FROM chains WHERE environment = 'live' AND network = 'bsc'`);
  chainId = rows[0].id;
});
afterAll(() => db.close());
beforeEach(() => db.pool.query('TRUNCATE treasury_balances, sweep_states'));

const context = () => testContext(db, clock, config);
async function holds({ usd, coin, age = 0 }: { usd: bigint; coin: bigint; age?: number }) {
  const readAt = new Date(clock.now().getTime() - age * 1000);
  await db.pool.query(
    `INSERT INTO treasury_balances (chain_id, currency, address, amount, block_number, read_at) VALUES ($1, 'USDT', $2, $3, 9, $4)`,
    [chainId, TREASURY, String(usd), readAt],
  );
  await bsc.state();
  await db.pool.query('UPDATE sweep_states SET coin = $1, read_at = $2', [String(coin), readAt]);
}
const shown = async () => {
  const { networks } = await readTreasury(context(), 'live');
  return networks.flatMap(({ marks }) => marks.map(({ wallet, amount, outside }) => [wallet, amount, outside]));
};
const alarms = async () =>
  (await readFacts(context())).facts
    .filter(({ kind }) => kind === 'marks_low' || kind === 'marks_high')
    .map(({ kind, subject, severity }) => `${severity} ${kind} ${subject}`);

test('below the low mark the page says so, and an alarm names wallet, asset and network', async () => {
  await holds({ usd: 100n * USD - 1n, coin: 5n * COIN - 1n });
  expect(await shown()).toEqual([
    ['treasury', '99.999999999999999999', 'low'],
    ['sponsor', '0.049999999999999999', 'low'],
  ]);
  expect(await alarms()).toEqual([
    'warning marks_low live bsc treasury USDT',
    'warning marks_low live bsc sponsor BNB',
  ]);
});

test('above the high mark the page says so, and an alarm says that it is time to move money away', async () => {
  await holds({ usd: 500n * USD + 1n, coin: 100n * COIN + 1n });
  expect(await shown()).toMatchObject([
    ['treasury', expect.anything(), 'high'],
    ['sponsor', expect.anything(), 'high'],
  ]);
  expect(await alarms()).toEqual([
    'notice marks_high live bsc treasury USDT',
    'notice marks_high live bsc sponsor BNB',
  ]);
});

test.each([
  [100n * USD, 5n * COIN],
  [500n * USD, 100n * COIN],
])('at a mark and between them there is no alarm (%s)', async (usd, coin) => {
  await holds({ usd, coin });
  expect((await shown()).map(([, , outside]) => outside)).toEqual([null, null]);
  expect(await alarms()).toEqual([]);
});

test('a wallet that was not read lately is shown as unread, and raises no alarm', async () => {
  const unread = [
    ['treasury', null, null],
    ['sponsor', null, null],
  ];
  expect(await shown()).toEqual(unread);
  await holds({ usd: 0n, coin: 0n, age: 901 });
  expect(await shown()).toEqual(unread);
  expect(await alarms()).toEqual([]);
});

test('the chart of the treasury wallet has its marks', async () => {
  await db.pool.query(
    `INSERT INTO wallet_history (chain_id, wallet, currency, hour, amount) VALUES ($1, 'treasury', 'USDT', date_trunc('hour', $2::timestamptz), 1)`,
    [chainId, clock.now()],
  );
  const { tokens } = await readHistory(context(), 'live', 'week');
  const marks = { low: '100.000000000000000000', high: '500.000000000000000000' };
  expect(tokens.flatMap(({ lines }) => lines)).toMatchObject([{ wallet: 'treasury', marks }]);
});

test('a worker does not start with marks that cannot be used', () => {
  const unusable = testConfig({ LIVE_BSC_URLS: 'http://127.0.0.1:1', SPONSOR_LEVELS: 'bsc@mainnet/BNB=1' });
  expect(() => openSteps(testContext(db, clock, unusable))).toThrow('SPONSOR_LEVELS needs entries like');
});
