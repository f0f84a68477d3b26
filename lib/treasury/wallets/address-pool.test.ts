import { randomBytes, randomUUID } from 'node:crypto';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { openLog } from '@/lib/platform/log';
import { createSessionByStore } from '@/lib/payments/sessions/by-store';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeFault } from '@/testing/database/database-fault';
import { makeChain, makeStore } from '@/testing/fixtures';
import { environmentsOf, fillAddressPool } from './address-pool';
import { setNextIndex } from './address-pool-renew';
import { AddressSourceError, areAllOf, type AddressSource } from './address-source';
import { INDEX_LIMIT, keysFromSeed, type AddressKeys } from './derivation';
import { deriveRange } from './derive-range';
import { PUBLIC_WALLET } from './public-wallet';
import { VECTORS } from './published-vectors';

const keys = keysFromSeed(randomBytes(64));

/** A signer in this process, which gives no index twice; each test changes the part that it is about. */
function sourceOf(wallet: AddressKeys, changes: Partial<AddressSource> = {}): AddressSource {
  let highest = -1;
  return {
    fingerprint: async () => wallet.fingerprint,
    capacity: async () => INDEX_LIMIT,
    highestIndex: async () => highest,
    addresses: async (from, count) => {
      if (from <= highest) throw new AddressSourceError('used', 'given before');
      highest = from + count - 1;
      return { fingerprint: wallet.fingerprint, addresses: await deriveRange(wallet, { from, count }) };
    },
    owns: async (index, requested) => areAllOf(wallet.addressesAt(index), requested),
    ...changes,
  };
}
/** A wallet that keeps no count. */
const watchOnly = (wallet: AddressKeys): AddressSource =>
  sourceOf(wallet, {
    highestIndex: async () => null,
    addresses: async (from, count) => ({
      fingerprint: wallet.fingerprint,
      addresses: await deriveRange(wallet, { from, count }),
    }),
  });

let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
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

test('while sessions take every address at once, each batch is twice as large as the one before', async () => {
  const step = fillAddressPool(sourceOf(keys));
  for (const batch of [20, 40, 80, 160, 200, 200]) {
    await step(contextWith({ ADDRESS_POOL_SIZE: '1000' }));
    expect((await take(1000)).rowCount).toBe(batch);
  }
});

test('an empty pool gets a small first batch and then exactly its size, every row the wallet’s own', async () => {
  const context = contextWith();
  const step = fillAddressPool(sourceOf(keys));
  expect(await step(context)).toEqual({ more: true });
  expect(await pooled()).toHaveLength(20);
  await fillUp(step, context);
  const rows = await pooled();
  expect(rows).toEqual(Array.from({ length: 100 }, (_, at) => ({ environment: 'test', ...keys.addressesAt(at) })));
});

test('a full pool is not refilled until less than three quarters remain, and then to its size', async () => {
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

test('a pool that another worker overfilled in the meantime is not refilled', async () => {
  const context = contextWith();
  const step = fillAddressPool(sourceOf(keys));
  expect(await step(context)).toEqual({ more: true });
  await fillUp(fillAddressPool(sourceOf(keys)), contextWith({ ADDRESS_POOL_SIZE: '150' }));
  expect(await step(context)).toEqual({ more: false });
  expect(await pooled()).toHaveLength(150);
  expect(await nextIndex()).toBe(150);
});

test.each(VECTORS.map(({ mnemonic }) => mnemonic))('the wallet “%s” gives no live address', async (mnemonic) => {
  const context = contextWith({ LIVE_BSC_URLS: 'http://127.0.0.1:1' });
  const step = fillAddressPool(watchOnly(keysFromSeed(mnemonicToSeedSync(mnemonic))));
  await expect(step(context)).rejects.toMatchObject({ fault: 'unusable', message: PUBLIC_WALLET });
  // Test networks have no money to lose.
  expect(new Set((await pooled()).map((row) => row.environment))).toEqual(new Set(['test']));
});

test('a full pool sends the source no request', async () => {
  const context = contextWith();
  await fillUp(fillAddressPool(sourceOf(keys)), context);
  const silent = sourceOf(keys, { fingerprint: () => Promise.reject(new Error('requested')) });
  expect(await fillAddressPool(silent)(context)).toEqual({ more: false });
});

test('live and test have separate pools from one sequence of indexes', async () => {
  const context = contextWith({ LIVE_TRON_URLS: 'https://tron.example' });
  await fillUp(fillAddressPool(sourceOf(keys)), context);
  const rows = await pooled();
  expect(new Set(rows.map(({ index }) => index)).size).toBe(200);
  expect(rows.filter(({ environment }) => environment === 'live')).toHaveLength(100);
  expect(rows.filter(({ environment }) => environment === 'test')).toHaveLength(100);
});

test('an environment whose pool cannot be filled does not block the other one', async () => {
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

test('the environments are those with a network, and test when there is none', () => {
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

describe('after the database was restored', () => {
  const stale = () =>
    database.pool.query('SELECT FROM address_pool WHERE incarnation <> pool_incarnation() OR xmin <> written_by');
  /** As a restored dump leaves it: the same rows, written by another transaction. */
  const restoreDump = async () => {
    for (const table of ['wallets', 'address_pool']) {
      await database.pool.query(`CREATE TEMPORARY TABLE kept AS SELECT * FROM ${table}`);
      await database.pool.query(`DELETE FROM ${table}`);
      await database.pool.query(`INSERT INTO ${table} SELECT * FROM kept`);
      await database.pool.query('DROP TABLE kept');
    }
  };
  /** As PostgreSQL leaves it when it was stopped and started, with the same files or with older ones. */
  const restart = () =>
    database.pool.query(
      `UPDATE address_pool SET incarnation = incarnation || '1', written_by = pg_current_xact_id()::xid`,
    );
  const audited = async () =>
    (await database.prisma.auditEntry.findMany({ where: { target: 'wallet' }, orderBy: { number: 'desc' } }))
      .slice(0, 2)
      .map(({ action, details }) => [action, details]);

  test('drops the pooled addresses and continues above the highest index that the signer gave', async () => {
    const context = contextWith();
    const source = sourceOf(keys);
    await fillUp(fillAddressPool(source), context);
    // The backup was made here. Then every address was assigned and 60 more were pooled.
    await database.pool.query('CREATE TEMPORARY TABLE backup AS SELECT * FROM address_pool');
    await take(100);
    await fillUp(fillAddressPool(source), context);
    await database.pool.query('TRUNCATE address_pool');
    await database.pool.query('INSERT INTO address_pool SELECT * FROM backup');
    await database.pool.query('UPDATE wallets SET next_index = 100');
    await fillUp(fillAddressPool(source), context);
    const rows = await pooled();
    expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, at) => 200 + at));
    expect(await audited()).toEqual([
      ['addresses.skip', { from: 100, to: 200 }],
      ['addresses.drop', { dropped: 100 }],
    ]);
  });

  test.each([
    ['a dump', restoreDump, 1_000_100],
    ['files of before a start of PostgreSQL', restart, 100],
  ])(
    'assigns no address that came with %s or was given since, even before the worker has dropped it',
    async (_what, restore, next) => {
      const context = contextWith();
      const step = fillAddressPool(sourceOf(keys));
      await fillUp(step, context);
      expect((await stale()).rowCount).toBe(0);
      await restore();
      expect((await stale()).rowCount).toBe(100);
      const { storeId } = await makeStore(database, context.config);
      const request = createSessionSchema.parse({ amount: 100, currency: 'USDT', order_id: randomUUID() });
      const side = { storeId, environment: 'test', record: async () => {} } as const;
      const create = () => createSessionByStore(context, side, request);
      if ((await database.prisma.chain.count()) === 0) await makeChain(database, 'ethereum', 0);
      await expect(create()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
      await fillUp(step, context);
      expect((await pooled())[0]?.index).toBe(next);
    },
  );

  test('a new database of the same wallet starts above what the signer gave', async () => {
    const source = sourceOf(keys);
    await fillAddressPool(source)(contextWith());
    await database.pool.query('TRUNCATE wallets, address_pool');
    await fillAddressPool(source)(contextWith());
    expect((await pooled())[0]?.index).toBe(20);
  });

  test('two databases on one signer never get an index twice', async () => {
    const source = sourceOf(keys);
    const other = await openTestDatabase();
    try {
      const contexts = [contextWith(), { ...contextWith(), pool: other.pool }];
      for (let turn = 0; turn < 3; turn++) for (const context of contexts) await fillAddressPool(source)(context);
      const indexes = await Promise.all(
        [database, other].map(async ({ pool }) => (await pool.query('SELECT address_index FROM address_pool')).rows),
      );
      const all = indexes.flat().map(({ address_index }) => address_index);
      expect(new Set(all).size).toBe(all.length);
      expect(all.length).toBeGreaterThan(100);
    } finally {
      await other.close();
    }
  });

  test('a watch-only wallet keeps its addresses over a restart, and in a restored database waits for the operator', async () => {
    const context = contextWith();
    const step = fillAddressPool(watchOnly(keys));
    await fillUp(step, context);
    await restart();
    await step(context);
    expect(await pooled()).toHaveLength(100);
    expect((await stale()).rowCount).toBe(0);

    await restoreDump();
    const refused = { fault: 'restored', message: expect.stringContaining('next-index') };
    await expect(step(context)).rejects.toMatchObject(refused);
    await database.pool.query('TRUNCATE address_pool');
    await expect(step(context)).rejects.toMatchObject(refused);
    expect(await setNextIndex(context, 99)).toBe('lower');
    expect(await setNextIndex(context, 10_000)).toBe('stated');
    await fillUp(step, context);
    expect((await pooled())[0]?.index).toBe(10_000);
  });
});

test.each([
  ['a watch-only wallet', watchOnly(keys)],
  ['a wallet with a signer', sourceOf(keys)],
])('VACUUM FULL and CLUSTER do not count as a restore: %s keeps the addresses', async (_what, source) => {
  const context = contextWith();
  const step = fillAddressPool(source);
  await fillUp(step, context);
  const before = await pooled();
  await database.pool.query('VACUUM (FULL, FREEZE) address_pool');
  await database.pool.query('VACUUM (FULL, FREEZE) wallets');
  await database.pool.query('CLUSTER address_pool USING address_pool_pkey');
  await step(context);
  expect(await pooled()).toEqual(before);
  await take(50);
  await fillUp(step, context);
  expect((await pooled()).map(({ index }) => index)).toContain(100);
});

test('another keystore is refused, and nothing of it is stored', async () => {
  const context = contextWith();
  await fillAddressPool(sourceOf(keys))(context);
  const other = fillAddressPool(sourceOf(keysFromSeed(randomBytes(64))));
  await expect(other(context)).rejects.toMatchObject({ fault: 'other_wallet', retryable: false });
  expect(await pooled()).toHaveLength(20);
  expect(await nextIndex()).toBe(20);
});

test('detects a signer that was restarted with another keystore between two calls', async () => {
  const context = contextWith();
  const stranger = sourceOf(keysFromSeed(randomBytes(64)));
  const changed = fillAddressPool(sourceOf(keys, { addresses: stranger.addresses }));
  await expect(changed(context)).rejects.toMatchObject({ fault: 'other_wallet' });
  expect(await pooled()).toHaveLength(0);
});

test('rejects a source that gives indexes other than the requested ones', async () => {
  const { addresses } = watchOnly(keys);
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

test('reserves no index while the signer is unreachable', async () => {
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

test('indexes that sessions or the pool have are not used again when the wallet’s row was lost', async () => {
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
