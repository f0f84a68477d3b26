// Forwarders in the address pool whose contract gives no addresses any more: their money would reach the former treasury, so no new session
// gets them.

import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { forwarderAddress } from '@/lib/networks/families/tron/sweeping/forwarders';
import { createSessionByStore } from '@/lib/payments/sessions/by-store';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { fillAddressPool } from './address-pool';
import { AddressSourceError, areAllOf, type AddressSource } from './address-source';
import { INDEX_LIMIT, keysFromSeed } from './derivation';
import { deriveRange } from './derive-range';

const [FORMER, NEXT] = ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'TXHzvoDBPaG7YbSgb3zdoosJK4x4Kmf2J2'];
const SIZE = 40;
const keys = keysFromSeed(randomBytes(64));
const away = () => Promise.reject(new AddressSourceError('unavailable', 'gone'));

/** A watch-only wallet, which keeps no count. */
const watchOnly: AddressSource = {
  fingerprint: async () => keys.fingerprint,
  capacity: async () => INDEX_LIMIT,
  highestIndex: async () => null,
  addresses: async (from, count) => ({
    fingerprint: keys.fingerprint,
    addresses: await deriveRange(keys, { from, count }),
  }),
  owns: async (index, requested) => areAllOf(keys.addressesAt(index), requested),
};
/** A signer, which gives no index twice. */
function signer(): AddressSource {
  let highest = -1;
  return {
    ...watchOnly,
    highestIndex: async () => highest,
    addresses: async (from, count) => {
      if (from <= highest) throw new AddressSourceError('used', 'given before');
      highest = from + count - 1;
      return watchOnly.addresses(from, count);
    },
  };
}

let database: TestDatabase;
let clock: TestClock;
let context: Context;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.pool.query('TRUNCATE wallets, address_pool, sessions');
  clock = new TestClock();
  context = testContext(database, clock, testConfig({ ADDRESS_POOL_SIZE: String(SIZE) }));
});

type Contracts = { readonly factory: string | null; readonly pooled: string | null };
const of = (factory: string | null): Contracts => ({ factory, pooled: factory });
/** The step of a process whose settings and signer name these contracts, until the pool is full. */
async function fill(source: AddressSource, contracts: Contracts): Promise<void> {
  const step = fillAddressPool(source, async () => contracts);
  while ((await step(context)).more);
}
async function pooled() {
  const { rows } = await database.pool.query<{ index: number; evm: string; tron: string; factory: string | null }>(
    `SELECT address_index AS index, evm_address AS evm, tron_address AS tron, tron_factory AS factory FROM address_pool
     WHERE incarnation = pool_incarnation() AND xmin = written_by ORDER BY address_index`,
  );
  return rows;
}
const isRight = ({ index, evm, tron, factory }: Awaited<ReturnType<typeof pooled>>[number]): boolean =>
  tron === (factory === null ? keys.addressesAt(index).tron : forwarderAddress(factory, evm));

test.each([
  ['to another contract', of(NEXT)],
  ['to keys, or to no contract', of(null)],
  ['to another contract while its code cannot be read', { factory: null, pooled: NEXT }],
])('after a change %s no new session gets a pooled forwarder of the former one', async (_what, contracts) => {
  const source = signer();
  await fill(source, of(FORMER));
  expect((await pooled()).map(({ factory }) => factory)).toEqual(Array.from({ length: SIZE }, () => FORMER));
  await fill(source, contracts);
  const rows = await pooled();
  expect(rows.map(({ factory }) => factory)).toEqual(Array.from({ length: SIZE }, () => contracts.factory));
  expect(rows.every(isRight)).toBe(true);
  // No index is used twice.
  expect(rows[0]?.index).toBe(SIZE);
  const { storeId } = await makeStore(database, context.config);
  if ((await database.prisma.chain.count()) === 0) await makeChain(database, 'ethereum', 0);
  const side = { storeId, environment: 'test', record: async () => {} } as const;
  for (let n = 0; n < 3; n++) {
    const request = createSessionSchema.parse({ amount: 100, currency: 'USDT', order_id: randomUUID() });
    await createSessionByStore(context, side, request);
  }
  const { rows: given } = await database.pool.query<{ tron_factory: string | null }>(
    'SELECT tron_factory FROM sessions',
  );
  expect(given.map(({ tron_factory }) => tron_factory)).toEqual(Array.from({ length: 3 }, () => contracts.factory));
});

test('forwarders of the contract stay while the signer or the network does not answer, those of a former one do not', async () => {
  const source = signer();
  await fill(source, of(FORMER));
  const before = await pooled();
  const silent = { ...source, highestIndex: away, fingerprint: away, addresses: away };
  await fill(silent, { factory: null, pooled: FORMER });
  expect(await pooled()).toEqual(before);
  await expect(fill(silent, { factory: null, pooled: NEXT })).rejects.toMatchObject({ fault: 'unavailable' });
  expect(await pooled()).toEqual([]);
});

test('a contract that the signer gives up while the worker runs is noticed within 15 seconds', async () => {
  const source = signer();
  let contracts = of(FORMER);
  const step = fillAddressPool(source, async () => contracts);
  for (let passes = 0; passes < 4; passes++) await step(context);
  contracts = of(null);
  clock.advance(15);
  while ((await step(context)).more);
  const rows = await pooled();
  expect(rows).toHaveLength(SIZE);
  expect(rows.filter(({ factory }) => factory !== null)).toEqual([]);
});

test('forwarders of a watch-only wallet become addresses of its keys, at the same indexes', async () => {
  await fill(watchOnly, of(FORMER));
  await fill(watchOnly, of(NEXT));
  const rows = await pooled();
  expect(rows.map(({ index }) => index)).toEqual(Array.from({ length: SIZE }, (_, at) => at));
  expect(rows.filter(({ factory }) => factory !== null)).toEqual([]);
  expect(rows.every(isRight)).toBe(true);
});

test('forwarders of a watch-only wallet that cannot be derived again leave the pool', async () => {
  await fill(watchOnly, of(FORMER));
  const unreadable = { ...watchOnly, capacity: away, fingerprint: away };
  await expect(fill(unreadable, of(null))).rejects.toMatchObject({ fault: 'unavailable' });
  expect(await pooled()).toEqual([]);
});

test('forwarders from a backup are dropped with it, and never become usable', async () => {
  await fill(watchOnly, of(FORMER));
  await database.pool.query(`UPDATE address_pool SET incarnation = 'another'`);
  await fill(watchOnly, of(null));
  const rows = await pooled();
  expect(rows[0]?.index).toBe(SIZE);
  expect(rows.filter(({ factory }) => factory !== null)).toEqual([]);
});
