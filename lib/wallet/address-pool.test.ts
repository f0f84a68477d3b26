import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '@/lib/config';
import type { Context, Step } from '@/lib/context';
import { openLog } from '@/lib/log';
import { openTestDatabase, type TestDatabase } from '@/lib/testing/database';
import { makeFault } from '@/lib/testing/database-fault';
import { environmentsOf, fillAddressPool } from './address-pool';
import { AddressSourceError, type AddressSource } from './address-source';
import { INDEX_LIMIT, keysFromSeed, type AddressKeys } from './derivation';
import { deriveRange } from './derive-range';

const keys = keysFromSeed(randomBytes(64));

/** A wallet in this process; what a test changes of it is what it is about. */
const sourceOf = (wallet: AddressKeys, changes: Partial<AddressSource> = {}): AddressSource => ({
  fingerprint: async () => wallet.fingerprint,
  capacity: async () => INDEX_LIMIT,
  addresses: async (from, count) => ({
    fingerprint: wallet.fingerprint,
    addresses: await deriveRange(wallet, { from, count }),
  }),
  ...changes,
});

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.pool.query('TRUNCATE wallets, address_pool, sessions');
});

const contextWith = (settings: Record<string, string> = {}): Context => ({
  pool: database.pool,
  clock: { now: () => new Date(0) },
  log: openLog('test', 'silent'),
  config: readConfig({
    DATABASE_URL: database.url,
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    ADDRESS_POOL_SIZE: '100',
    TEST_BSC_URLS: 'http://127.0.0.1:1',
    ...settings,
  }),
});

type PoolRow = { environment: string; index: number; evm: string; tron: string; solana: string };

async function pooled(): Promise<PoolRow[]> {
  const { rows } = await database.pool.query<PoolRow>(
    `SELECT environment, address_index AS index, evm_address AS evm, tron_address AS tron, solana_address AS solana
     FROM address_pool ORDER BY address_index`,
  );
  return rows;
}
const nextIndex = async (): Promise<number | undefined> =>
  (await database.pool.query('SELECT next_index FROM wallets')).rows[0]?.next_index;

async function fillUp(step: Step, context: Context): Promise<number> {
  for (let passes = 1; passes < 50; passes++) if (!(await step(context)).more) return passes;
  throw new Error('the pool was never full');
}
const take = (count: number, environment = 'test') =>
  database.pool.query(
    `DELETE FROM address_pool WHERE (environment, address_index) IN
       (SELECT environment, address_index FROM address_pool WHERE environment = $1::"Environment" ORDER BY 2 LIMIT $2)`,
    [environment, count],
  );

test('an empty pool gets a small first batch and then exactly its size, every row the wallet’s own', async () => {
  const context = contextWith();
  const step = fillAddressPool(sourceOf(keys));
  expect(await step(context)).toEqual({ more: true });
  expect(await pooled()).toHaveLength(20);
  await fillUp(step, context);
  const rows = await pooled();
  expect(rows).toEqual(Array.from({ length: 100 }, (_, at) => ({ environment: 'test', ...keys.addressesAt(at) })));
});

test('a full pool is left alone until less than three quarters remain, and then filled to its size', async () => {
  const context = contextWith();
  const step = fillAddressPool(sourceOf(keys));
  await fillUp(step, context);
  await take(25);
  expect(await step(context)).toEqual({ more: false });
  expect(await pooled()).toHaveLength(75);
  await take(1);
  await fillUp(step, context);
  const rows = await pooled();
  expect(rows).toHaveLength(100);
  expect(rows.at(-1)?.index).toBe(125);
});

test('a pool that another worker filled, and overfilled, in the meantime is left alone', async () => {
  const context = contextWith();
  const step = fillAddressPool(sourceOf(keys));
  expect(await step(context)).toEqual({ more: true });
  await fillUp(fillAddressPool(sourceOf(keys)), contextWith({ ADDRESS_POOL_SIZE: '150' }));
  expect(await step(context)).toEqual({ more: false });
  expect(await pooled()).toHaveLength(150);
  expect(await nextIndex()).toBe(150);
});

test('a full pool asks the source nothing', async () => {
  const context = contextWith();
  await fillUp(fillAddressPool(sourceOf(keys)), context);
  const silent = sourceOf(keys, { fingerprint: () => Promise.reject(new Error('asked')) });
  expect(await fillAddressPool(silent)(context)).toEqual({ more: false });
});

test('live and test have pools of their own out of one run of indexes', async () => {
  const context = contextWith({ LIVE_TRON_URLS: 'https://tron.example' });
  await fillUp(fillAddressPool(sourceOf(keys)), context);
  const rows = await pooled();
  expect(new Set(rows.map(({ index }) => index)).size).toBe(200);
  expect(rows.filter(({ environment }) => environment === 'live')).toHaveLength(100);
  expect(rows.filter(({ environment }) => environment === 'test')).toHaveLength(100);
});

test('an environment whose pool cannot be filled keeps the other one from nothing', async () => {
  const context = contextWith({ LIVE_BSC_URLS: 'http://127.0.0.1:1' });
  const endFault = await makeFault(database.pool, {
    table: 'address_pool',
    on: 'INSERT',
    row: `NEW.environment = 'live'`,
  });
  const step = fillAddressPool(sourceOf(keys));
  await expect(step(context)).rejects.toThrow('a fault of this row');
  expect(new Set((await pooled()).map(({ environment }) => environment))).toEqual(new Set(['test']));
  await endFault();
  await fillUp(step, context);
  const indexes = (await pooled()).map(({ index }) => index);
  expect(new Set(indexes).size).toBe(indexes.length);
  expect(new Set((await pooled()).map(({ environment }) => environment))).toEqual(new Set(['test', 'live']));
});

test('environments are those with a network, and test when there is none', () => {
  const of = (settings: Record<string, string>) => environmentsOf(contextWith(settings).config);
  expect(of({})).toEqual(['test']);
  expect(of({ TEST_BSC_URLS: '' })).toEqual(['test']);
  expect(of({ LIVE_SOLANA_URLS: 'https://solana.example' })).toEqual(['live', 'test']);
  expect(of({ LIVE_SOLANA_URLS: 'https://solana.example', TEST_BSC_URLS: '' })).toEqual(['live']);
});

test('four workers filling and customers taking at once never give one index twice', async () => {
  const context = contextWith({ ADDRESS_POOL_SIZE: '300', LIVE_BSC_URLS: 'https://bsc.example' });
  const given: number[] = [];
  const worker = () => fillUp(fillAddressPool(sourceOf(keys)), context);
  const customer = async () => {
    for (let round = 0; round < 40; round++) {
      const { rows } = await database.pool.query<{ address_index: number }>(
        `DELETE FROM address_pool WHERE (environment, address_index) IN
           (SELECT environment, address_index FROM address_pool LIMIT 3 FOR UPDATE SKIP LOCKED)
         RETURNING address_index`,
      );
      given.push(...rows.map(({ address_index }) => address_index));
    }
  };
  await Promise.all([worker(), worker(), worker(), worker(), customer(), customer()]);
  const rows = await pooled();
  const all = [...given, ...rows.map(({ index }) => index)];
  expect(given.length).toBeGreaterThan(0);
  expect(new Set(all).size).toBe(all.length);
  expect(Math.max(...all)).toBeLessThan((await nextIndex()) as number);
  for (const row of rows) expect(row).toMatchObject(keys.addressesAt(row.index));
});

test('another keystore is refused, and nothing of it is stored', async () => {
  const context = contextWith();
  await fillAddressPool(sourceOf(keys))(context);
  const other = fillAddressPool(sourceOf(keysFromSeed(randomBytes(64))));
  await expect(other(context)).rejects.toMatchObject({ fault: 'other_wallet', retryable: false });
  expect(await pooled()).toHaveLength(20);
  expect(await nextIndex()).toBe(20);
});

test('a signer restarted with another keystore between two calls is noticed', async () => {
  const context = contextWith();
  const stranger = sourceOf(keysFromSeed(randomBytes(64)));
  const changed = fillAddressPool(sourceOf(keys, { addresses: stranger.addresses }));
  await expect(changed(context)).rejects.toMatchObject({ fault: 'other_wallet' });
  expect(await pooled()).toHaveLength(0);
});

test('a source that gives other indexes than asked for is not believed', async () => {
  const { addresses } = sourceOf(keys);
  for (const wrong of [
    sourceOf(keys, { addresses: (from, count) => addresses(from + 1, count) }),
    sourceOf(keys, { addresses: (from, count) => addresses(from, count - 1) }),
  ]) {
    await expect(fillAddressPool(wrong)(contextWith())).rejects.toMatchObject({ fault: 'contradiction' });
  }
  expect(await pooled()).toHaveLength(0);
});

test('a failure after the reservation leaves a gap and never a second use', async () => {
  const context = contextWith();
  const broken = sourceOf(keys, { addresses: () => Promise.reject(new AddressSourceError('unavailable', 'gone')) });
  await expect(fillAddressPool(broken)(context)).rejects.toMatchObject({ retryable: true });
  await fillAddressPool(sourceOf(keys))(context);
  expect((await pooled()).map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, at) => 20 + at));
});

test('while the signer is away no index is reserved', async () => {
  const away = sourceOf(keys, { fingerprint: () => Promise.reject(new AddressSourceError('unavailable', 'gone')) });
  await expect(fillAddressPool(away)(contextWith())).rejects.toMatchObject({ retryable: true });
  expect(await nextIndex()).toBeUndefined();
});

test('a wallet that runs out gives its last address, warns, and then says what to do', async () => {
  const warnings: unknown[] = [];
  const context = contextWith();
  context.log.warn = (...given: unknown[]) => void warnings.push(given);
  const step = fillAddressPool(sourceOf(keys, { capacity: async () => 50 }));
  await step(context);
  expect(warnings).toHaveLength(1);
  await step(context);
  expect((await pooled()).at(-1)?.index).toBe(49);
  await expect(step(context)).rejects.toMatchObject({ fault: 'exhausted', message: expect.stringMatching(/index 49/) });
  expect(await pooled()).toHaveLength(50);
});

test('indexes that sessions or the pool hold are not used again when the wallet’s row was lost', async () => {
  const context = contextWith();
  await fillAddressPool(sourceOf(keys))(context);
  await database.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address)
     VALUES ('cs_test_0000000000000000', 'st', 'test', 'o', 1, 'USD', 1, '{USDT}', '{bsc}', now(), now(), 77, 'e', 't', 's')`,
  );
  await database.pool.query('DELETE FROM wallets');
  await fillAddressPool(sourceOf(keys))(context);
  expect((await pooled()).at(20)?.index).toBe(78);
});
