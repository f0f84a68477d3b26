// What the operator allows a store to offer holds for every new session of it, of no other store, and for no session that is open already.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setAllowedPairs } from '@/lib/merchants/stores/pairs';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeChain,
  makeStore,
  signedRequest,
  TestClock,
  testConfig,
  testContext,
  type TestStore,
} from '@/testing/fixtures';
import { answer } from '@/lib/api/answer';
import { openServices } from '@/lib/api/services';
import { readCheckout } from '@/lib/payments/checkout/view';
import { readStore } from '@/lib/merchants/stores/read';
import { offeredIn } from './create/offered';

const clock = new TestClock();
const config = testConfig({ LIVE_TRON_URLS: 'default', LIVE_BSC_URLS: 'default' });
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await makeAddresses(database, 40, 'live');
  for (const network of ['tron', 'bsc']) await makeChain(database, network, clock.now().getTime() / 1000, 'live');
});
afterAll(() => database.close());

const ACTOR = { by: 'user:1', address: '192.0.2.1' };
async function allow(storeId: string, pairs: readonly string[]): Promise<void> {
  const { version } = (await readStore(database.pool, storeId))!;
  await setAllowedPairs({ pool: database.pool, clock }, { storeId, version, pairs }, ACTOR);
}
async function restricted(...pairs: string[]): Promise<TestStore> {
  const store = await makeStore(database, config, 'live');
  await allow(store.storeId, pairs);
  return store;
}
async function create(store: TestStore, body: object) {
  const services = openServices(testContext(database, clock, config));
  const text = JSON.stringify({ amount: 1234, currency: 'USD', order_id: randomUUID(), ...body });
  const response = await answer(
    services,
    signedRequest(store, { path: '/api/v1/checkout/sessions/create', body: text, now: clock.now() }),
  );
  return JSON.parse(response.body) as { id: string; currencies?: string[]; error?: { code: string; param?: string } };
}
async function methods(id: string): Promise<string[]> {
  const view = await readCheckout({ pool: database.pool, clock, config }, id);
  return view!.methods.map((method) => `${method.network} ${method.currency}`).toSorted();
}
const offered = async (store: TestStore, currency = 'USD') => methods((await create(store, { currency })).id);

describe('a store that may offer USDC only', () => {
  it('offers no USDT, whatever its owner chose, and another store still does', async () => {
    const store = await restricted('bsc-USDC', 'tron-USDC');
    expect(await offered(store)).toEqual(['bsc USDC']);
    await database.pool.query(`UPDATE stores SET accepts_other_token = true WHERE id = $1`, [store.storeId]);
    expect(await offered(store)).toEqual(['bsc USDC']);
    expect(await offered(await restricted())).toEqual(['bsc USDC', 'bsc USDT', 'tron USDT']);
  });

  it('cannot ask for USDT or for a network without an allowed token', async () => {
    const store = await restricted('bsc-USDC');
    expect(await create(store, { currency: 'USDT' })).toMatchObject({ error: { code: 'INVALID_CURRENCY' } });
    const crypto = (choice: object) => ({ amount: '12.34', payment_method_options: { crypto: choice } });
    expect(await create(store, crypto({ currency: 'USDT' }))).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
    expect(await create(store, crypto({ network: 'tron' }))).toMatchObject({ error: { code: 'INVALID_PARAMETER' } });
    expect(await create(store, crypto({ network: 'bsc' }))).not.toHaveProperty('error');
  });

  it('takes no payment at all when its owner offers only what is not allowed', async () => {
    const store = await restricted('bsc-USDC');
    await database.pool.query(`UPDATE stores SET usd_currencies = '{USDT}' WHERE id = $1`, [store.storeId]);
    expect(await create(store, {})).toMatchObject({ error: { code: 'INVALID_CURRENCY' } });
    const row = { storeId: store.storeId, environment: 'live', usdCurrencies: ['USDT'], networks: [] } as const;
    const rest = {
      allowedPairs: ['bsc-USDC'],
      countryRules: '',
      acceptsOtherToken: false,
      settlementCurrency: 'USDT',
      spreadBasisPoints: 0,
    };
    expect(offeredIn(config, { ...row, ...rest }, 'USD')).toEqual({ networks: [], tokens: [] });
  });
});

it('a pair counts on its own network only', async () => {
  expect(await offered(await restricted('bsc-USDC', 'tron-USDT'))).toEqual(['bsc USDC', 'tron USDT']);
});

it('an open session keeps what it offered, and an audited change of an outdated page is refused', async () => {
  const store = await restricted();
  const { id } = await create(store, {});
  await allow(store.storeId, ['bsc-USDC']);
  expect(await methods(id)).toEqual(['bsc USDC', 'bsc USDT', 'tron USDT']);
  const of = { storeId: store.storeId, version: 1, pairs: [] };
  await expect(setAllowedPairs({ pool: database.pool, clock }, of, ACTOR)).rejects.toMatchObject({
    code: 'STORE_CHANGED',
  });
  const { rows } = await database.pool.query(
    `SELECT details FROM audit_entries WHERE action = 'store.pairs' AND store_id = $1 ORDER BY number DESC LIMIT 1`,
    [store.storeId],
  );
  expect(rows).toEqual([{ details: { from: [], to: ['bsc-USDC'] } }]);
});
