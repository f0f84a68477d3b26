// The history of the wallets: what the reconciliation read is kept once an hour and later once a day, and read in equal periods.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { readWalletHistory } from './read';
import { recordWalletHistory } from './record';

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];
/** The beginning of a day in UTC. */
const START = 1_799_971_200;
const TREASURY = `0x${'a1'.repeat(20)}`;
let clock: TestClock;
let db: TestDatabase;
let chainId: number;

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock(START);
  await db.pool.query('TRUNCATE wallet_history, wallet_balances, treasury_balances, cold_balances');
  await db.pool.query('UPDATE chains SET retired_at = now()');
  chainId = await makeChain(db, 'bsc', START, 'live');
});

const record = (over: Record<string, string> = {}) => recordWalletHistory(testContext(db, clock, testConfig(over)));
const query = async (text: string, values: unknown[] = []) => (await db.pool.query(text, values)).rows;

/** A reading of now, as the reconciliation stores it. */
async function refund(amount: number, { asset = 'USDT', address = 'w', readAt = clock.now() } = {}) {
  await query(
    `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at) VALUES ($1, $2, $3, $4, 1, $5)
     ON CONFLICT (chain_id, address, asset) DO UPDATE SET amount = EXCLUDED.amount, read_at = EXCLUDED.read_at`,
    [chainId, address, asset, amount, readAt],
  );
}
async function wallet(table: 'treasury' | 'cold', amount: number, address: string) {
  await query(
    `INSERT INTO ${table}_balances (chain_id, currency, address, amount, block_number, read_at) VALUES ($1, 'USDT', $2, $3, 1, $4)`,
    [chainId, address, amount, clock.now()],
  );
}

const stored = async () =>
  (await query('SELECT wallet, currency, hour, amount::text AS amount FROM wallet_history ORDER BY wallet, hour')).map(
    ({ wallet: name, currency, hour, amount }) => [name, currency, (hour.getTime() / 1000 - START) / HOUR, amount],
  );

describe('a reading', () => {
  test('of a cold wallet that was the refund wallet before is kept as that of the cold wallet', async () => {
    await refund(3, { address: 'former', readAt: new Date(clock.now().getTime() - 3 * MINUTE * 1000) });
    await refund(5);
    await wallet('cold', 7, 'former');
    await record();
    expect((await stored()).map(([name, , , amount]) => [name, amount])).toEqual([
      ['cold', '7'],
      ['refund', '5'],
    ]);
  });

  test('is kept once an hour, however often and by however many workers the step runs', async () => {
    clock.advance(10 * MINUTE);
    await refund(5);
    await Promise.all([record(), record(), record()]);
    clock.advance(20 * MINUTE);
    await refund(6);
    await record();
    clock.advance(40 * MINUTE);
    await refund(7);
    await record();
    expect(await stored()).toEqual([
      ['refund', 'USDT', 0, '5'],
      ['refund', 'USDT', 1, '7'],
    ]);
  });

  test('older than a day is not kept: it says nothing of now, and would be thinned again and again', async () => {
    await refund(5, { readAt: new Date((START - 25 * HOUR) * 1000) });
    await record();
    expect(await stored()).toEqual([]);
    await refund(5, { readAt: new Date((START - 23 * HOUR) * 1000) });
    await record();
    expect(await stored()).toEqual([['refund', 'USDT', -23, '5']]);
  });

  test('that does not come leaves a gap', async () => {
    await refund(5);
    await record();
    clock.advance(3 * HOUR);
    await record();
    expect(await stored()).toHaveLength(1);
  });

  test('of the refund, treasury and cold wallet is kept by its wallet, without coin for fees', async () => {
    await refund(1);
    await refund(9, { asset: 'fee' });
    await wallet('treasury', 2, TREASURY);
    await wallet('cold', 3, 'c');
    await record();
    expect(await stored()).toEqual([
      ['cold', 'USDT', 0, '3'],
      ['refund', 'USDT', 0, '1'],
      ['treasury', 'USDT', 0, '2'],
    ]);
  });

  test('of a former refund wallet is not kept, and a wallet in two roles counts once', async () => {
    await refund(1, { address: 'former', readAt: new Date(clock.now().getTime() - HOUR * 1000) });
    await refund(2);
    await wallet('treasury', 3, TREASURY);
    await wallet('cold', 3, TREASURY);
    await record();
    expect(await stored()).toEqual([
      ['refund', 'USDT', 0, '2'],
      ['treasury', 'USDT', 0, '3'],
    ]);
  });

  test('of a chain that is not followed any more is not kept', async () => {
    await refund(1);
    await query('UPDATE chains SET retired_at = now() WHERE id = $1', [chainId]);
    await record();
    expect(await stored()).toEqual([]);
  });

  test('of the merchant’s own wallet is not kept with direct settlement', async () => {
    await refund(1);
    await wallet('treasury', 2, TREASURY);
    const direct = { TREASURY_WALLETS: `bsc@mainnet=${TREASURY}`, DIRECT_SETTLEMENT: 'on' };
    await record(direct);
    expect(await stored()).toEqual([['refund', 'USDT', 0, '1']]);
    await record({ TREASURY_WALLETS: direct.TREASURY_WALLETS });
    expect(await stored()).toHaveLength(2);
  });
});

test('rows older than 90 days are thinned to the first of each day in UTC, and younger ones stay', async () => {
  for (const hours of [3, 4, 23, 24, 25])
    await query(`INSERT INTO wallet_history VALUES ($1, 'USDT', 'refund', to_timestamp($2), $3)`, [
      chainId,
      START + hours * HOUR,
      hours,
    ]);
  clock.advance(90 * DAY + 3 * HOUR);
  await record();
  expect((await stored()).map(([, , hour]) => hour)).toEqual([3, 4, 23, 24, 25]);
  clock.advance(22 * HOUR);
  await record();
  expect((await stored()).map(([, , hour]) => hour)).toEqual([3, 24, 25]);
  clock.advance(DAY);
  await record();
  await record();
  expect((await stored()).map(([, , hour]) => hour)).toEqual([3, 24]);
});

test('a period has its last reading, periods without one are absent, and so are other environments and former chains', async () => {
  const insert = (of: { hour: number; amount: string; chain?: number; name?: string }) =>
    query(`INSERT INTO wallet_history VALUES ($1, 'USDT', $2, to_timestamp($3), $4)`, [
      of.chain ?? chainId,
      of.name ?? 'refund',
      START + of.hour * HOUR,
      of.amount,
    ]);
  const huge = '123456789012345678901234567890';
  await insert({ hour: -1, amount: '1' });
  await insert({ hour: 0, amount: '2' });
  await insert({ hour: 2, amount: huge });
  await insert({ hour: 6, amount: '4' });
  await insert({ hour: 3, amount: '5', name: 'cold' });
  await insert({ hour: 0, amount: '6', chain: await makeChain(db, 'bsc', START, 'test') });
  const read = () => readWalletHistory(db.pool, 'live', { from: new Date(START * 1000), periodSeconds: 3 * HOUR });
  const usdt = { network: 'bsc', currency: 'USDT' };
  expect(await read()).toEqual([
    { ...usdt, wallet: 'cold', period: 1, amount: 5n },
    { ...usdt, wallet: 'refund', period: 0, amount: BigInt(huge) },
    { ...usdt, wallet: 'refund', period: 2, amount: 4n },
  ]);
  await query('UPDATE chains SET retired_at = now() WHERE id = $1', [chainId]);
  expect(await read()).toEqual([]);
});
