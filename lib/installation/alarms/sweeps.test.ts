// Which conditions of sweeps need an operator: on a real database, with a test clock. Each alarm has a neighbour that is none.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openStoredSweeps, type StoredSweeps } from '@/testing/sweeps/stored-sweeps';
import { readMetrics } from '@/lib/installation/metrics/metrics';
import { readFacts } from './facts';
import { readSweepFacts } from './sweeps';

const [HOUR, DAY] = [3600, 86_400];
const COIN = 10n ** 18n;
const config = testConfig({ LIVE_BSC_URLS: 'http://127.0.0.1:1', SWEEP_DELAY_SECONDS: '3600' });
const clock = new TestClock();
let db: TestDatabase;
let bsc: StoredSweeps;

beforeAll(async () => {
  db = await openTestDatabase();
  bsc = await openStoredSweeps(db, clock, { network: 'bsc', decimals: 18 });
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('TRUNCATE deposit_balances, sweep_states, quarantine, discrepancies, coin_prices, network_fees');
  await db.pool.query('TRUNCATE sweeps, sweep_items');
});

const context = () => testContext(db, clock, config);
const kinds = async () => (await readSweepFacts(context())).map(({ kind, count }) => `${kind} ${count}`);

test('a network that the signer does not sweep has no alarm', async () => {
  await bsc.held(50_00, { age: 30 * DAY, skip: 'foreign_delegation' });
  expect(await kinds()).toEqual([]);
});

test('less coin than one transaction may cost is an alarm before the first sweep, and then less than a day’s use', async () => {
  // The fee cap of BNB Smart Chain is 0.002 BNB.
  await bsc.state({ coin: 2 });
  expect(await kinds()).toEqual([]);
  await bsc.state({ coin: 1 });
  expect(await kinds()).toEqual(['sweep_coin_low 1']);
  await bsc.sweep({ status: 'final', ended: 20 * DAY, fee: COIN });
  await bsc.sweep({ status: 'final', ended: DAY, fee: (7n * COIN) / 1000n });
  expect(await kinds()).toEqual([]);
  await bsc.sweep({ status: 'final', ended: DAY, fee: COIN / 1000n });
  expect(await kinds()).toEqual(['sweep_coin_low 1']);
  await bsc.state({ coin: null });
  expect(await kinds()).toEqual([]);
});

test('an address that is worth a sweep is overdue after twice the deadline and the delay', async () => {
  await bsc.state();
  // The deadline is 6 hours, the delay an hour, and its session closes an hour after the payment.
  await bsc.held(50_00, { age: 13 * HOUR });
  expect(await kinds()).toEqual([]);
  await bsc.held(50_00, { age: 14 * HOUR });
  expect(await kinds()).toEqual(['sweeps_late 1']);
});

test('dust, open sessions, skipped addresses and money in doubt are not overdue', async () => {
  await bsc.state();
  const age = 20 * DAY;
  await bsc.held(99, { age });
  await bsc.held(50_00, { age, isOpen: true });
  await bsc.held(50_00, { age, skip: 'refused' });
  const doubtful = await bsc.held(50_00, { age });
  await db.pool.query(
    `INSERT INTO discrepancies (environment, network, chain_id, currency, address, expected, found, found_at)
     VALUES ('live', 'bsc', $1, 'USDT', $2, 1, 2, $3)`,
    [bsc.chainId, doubtful.address, clock.now()],
  );
  expect(await kinds()).toEqual([]);
  await db.pool.query('UPDATE discrepancies SET ended_at = now()');
  expect(await kinds()).toEqual(['sweeps_late 1']);
});

test('one deposit address that runs foreign code is a critical alarm', async () => {
  await bsc.state();
  await bsc.held(2_00, { skip: 'refused' });
  expect(await kinds()).toEqual([]);
  await bsc.held(2_00, { skip: 'foreign_delegation' });
  expect(await kinds()).toEqual(['foreign_code 1']);
  const facts = (await readFacts(context())).facts.filter(({ kind }) => kind === 'foreign_code');
  expect(facts).toEqual([
    { kind: 'foreign_code', subject: 'live bsc', severity: 'critical', count: 1, newestAt: null },
  ]);
});

test('five skipped addresses are an alarm if they are more than one in a hundred', async () => {
  await bsc.state();
  const skipped = (count: number) =>
    Promise.all(Array.from({ length: count }, () => bsc.held(2_00, { skip: 'refused' })));
  await skipped(4);
  expect(await kinds()).toEqual([]);
  await skipped(1);
  expect(await kinds()).toEqual(['sweeps_skipped 5']);
  await db.pool.query(
    `INSERT INTO deposit_balances (chain_id, address, currency, decimals, session_id, amount, since)
     SELECT $1, 'a' || n, 'USDT', 18, 's', 1, $2 FROM generate_series(1, 495) n`,
    [bsc.chainId, clock.now()],
  );
  expect(await kinds()).toEqual([]);
});

test('the metrics say how much is unswept and how old, what is on its way, the coin, and the sweeps with their fees', async () => {
  await bsc.state({ coin: 250 });
  await bsc.held(12_34, { age: 3 * HOUR });
  await bsc.held(10_00);
  await bsc.sweep({ status: 'signed', cents: [20_00] });
  await bsc.sweep({ status: 'final', ended: HOUR, cents: [5_00], fee: COIN / 1000n });
  await bsc.sweep({ status: 'final', ended: 2 * DAY, fee: COIN });
  const text = await readMetrics(context());
  const line = (name: string, of = '') => `stabletill_${name}{environment="live",network="bsc"${of}}`;
  expect(text).toContain(`${line('unswept', ',currency="USDT"')} 22.34`);
  expect(text).toContain(`${line('unswept', ',currency="USDC"')} 0`);
  expect(text).toContain(`${line('unswept_addresses')} 2`);
  expect(text).toContain(`${line('unswept_oldest_seconds')} ${3 * HOUR}`);
  expect(text).toContain(`${line('sweeps_in_flight', ',currency="USDT"')} 20`);
  expect(text).toContain(`${line('sweep_sponsor_coin')} 0.25`);
  expect(text).toContain(`${line('sweep_fees_last_day')} 0.001`);
  expect(text).toContain(`${line('sweeps', ',status="signed"')} 1`);
  expect(text).toContain(`${line('sweeps', ',status="final"')} 1`);
});

test('the age of the oldest deposit leaves out dust until it is worth its sweep', async () => {
  const oldest = async () =>
    /^stabletill_unswept_oldest_seconds\{environment="live",network="bsc"\} (\d+)$/m.exec(
      await readMetrics(context()),
    )?.[1];
  await bsc.held(99, { age: 20 * DAY });
  await bsc.held(99, { age: 40 * DAY, currency: 'USDC' });
  expect(await oldest()).toBeUndefined();
  await bsc.held(1_00, { age: 3 * HOUR });
  expect(await oldest()).toBe(`${3 * HOUR}`);
  // A sweep costs 0.00005 BNB at 600 dollars, 3 cents. What is worth twice that goes after 30 days.
  await bsc.price('BNB', '600');
  await bsc.fee(COIN / 20_000n);
  expect(await oldest()).toBe(`${40 * DAY}`);
  await db.pool.query('UPDATE network_fees SET amount = amount * 20');
  expect(await oldest()).toBeUndefined();
});
