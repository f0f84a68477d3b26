// The country policy on new sessions: the rules of the installation and of the store decide which tokens customers of a country are offered.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '@/lib/api/answer';
import { openServices } from '@/lib/api/services';
import { COUNTRIES } from '@/lib/platform/countries/countries';
import { setAllowedPairs, setCountryRules } from '@/lib/merchants/stores/pairs';
import { readStore } from '@/lib/merchants/stores/read';
import { readCheckout } from '@/lib/payments/checkout/view';
import { parseCountryRules } from '@/lib/platform/countries/rules';
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
import { createSessionByStore } from './by-store';
import { offeredIn } from './create/offered';
import type { SessionStore } from './create/statement';

const clock = new TestClock();
/** The same keys in each. */
const plain = testConfig({ LIVE_TRON_URLS: 'default', LIVE_BSC_URLS: 'default' });
const configWith = (rules: string) => ({ ...plain, COUNTRY_RULES: parseCountryRules(rules) ?? [] });
const ACTOR = { by: 'user:1', address: '192.0.2.1' };
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await makeAddresses(database, 60, 'live');
  for (const network of ['tron', 'bsc']) await makeChain(database, network, clock.now().getTime() / 1000, 'live');
});
afterAll(() => database.close());

const versionOf = async (storeId: string) => (await readStore(database.pool, storeId))!.version;
async function storeWith(rules: string): Promise<TestStore> {
  const store = await makeStore(database, configWith(''), 'live');
  const { storeId } = store;
  const set = { storeId, version: await versionOf(storeId), rules: parseCountryRules(rules) ?? [] };
  await setCountryRules({ pool: database.pool, clock }, set, ACTOR);
  return store;
}

type Created = { readonly id: string; readonly error?: { code: string; param?: string; message: string } };
async function create(store: TestStore, body: object, rules = ''): Promise<Created> {
  const services = openServices(testContext(database, clock, configWith(rules)));
  const text = JSON.stringify({ amount: 1234, currency: 'USD', order_id: randomUUID(), ...body });
  const path = '/api/v1/checkout/sessions/create';
  const response = await answer(services, signedRequest(store, { path, body: text, now: clock.now() }));
  return JSON.parse(response.body) as Created;
}
async function methods(id: string): Promise<string[]> {
  const view = await readCheckout({ pool: database.pool, clock, config: configWith('') }, id);
  return view!.methods.map((method) => `${method.network} ${method.currency}`).toSorted();
}
const offered = async (store: TestStore, body: object, rules = '') => methods((await create(store, body, rules)).id);

const ALL = ['bsc USDC', 'bsc USDT', 'tron USDT'];

describe('a store with USDC only for the EEA', () => {
  it.each([
    ['DE', ['bsc USDC']],
    ['no', ['bsc USDC']],
    ['CH', ALL],
    [undefined, ALL],
  ])('offers a customer in %s: %j', async (customer_country, expected) => {
    expect(await offered(await storeWith('EEA = USDC'), { customer_country })).toEqual(expected);
  });

  it('offers what its rule for an unknown country says when no country is passed, also through a payment link', async () => {
    const store = await storeWith('EEA unknown = USDC');
    expect(await offered(store, {})).toEqual(['bsc USDC']);
    expect(await offered(store, { customer_country: 'US' })).toEqual(ALL);
    const context = testContext(database, clock, configWith(''));
    const side = { storeId: store.storeId, environment: 'live', record: async () => {} } as const;
    const request = { amount: 100, currency: 'USD', order_id: randomUUID(), expires_in: 1800 };
    expect(await methods(await createSessionByStore(context, side, request))).toEqual(['bsc USDC']);
  });

  it('accepts the other token in no session of such a customer', async () => {
    const store = await storeWith('EEA = USDC');
    await database.pool.query('UPDATE stores SET accepts_other_token = true WHERE id = $1', [store.storeId]);
    const { id } = await create(store, { customer_country: 'DE', currency: 'USDC' });
    const { rows } = await database.pool.query('SELECT offered_pairs FROM sessions WHERE id = $1', [id]);
    expect(rows).toEqual([{ offered_pairs: ['bsc-USDC'] }]);
  });

  it('refuses a session that would offer nothing, says why, and stores none', async () => {
    const store = await storeWith('EEA = USDC; KP = none');
    const refused = await create(store, { customer_country: 'DE', currency: 'USDT' });
    const message = 'The country rules allow no payment in USDT by a customer in DE.';
    expect(refused).toMatchObject({ error: { code: 'INVALID_CURRENCY', param: 'currency', message } });
    expect(await create(store, { customer_country: 'KP' })).toMatchObject({ error: { code: 'INVALID_CURRENCY' } });
    const tron = { amount: '12.34', payment_method_options: { crypto: { network: 'tron' } }, customer_country: 'DE' };
    expect(await create(store, tron)).toMatchObject({ error: { code: 'INVALID_CURRENCY' } });
    const { rows } = await database.pool.query('SELECT FROM sessions WHERE store_id = $1', [store.storeId]);
    expect(rows).toEqual([]);
    expect(await create(store, { currency: 'USDT' })).not.toHaveProperty('error');
  });
});

describe('rules of the installation', () => {
  it('hold for every store, and a store can be stricter and never looser', async () => {
    const [looser, stricter] = [await storeWith('DE = USDT USDC'), await storeWith('DE = none')];
    expect(await offered(looser, { customer_country: 'DE' }, 'EEA = USDC')).toEqual(['bsc USDC']);
    expect(await offered(looser, { customer_country: 'US' }, 'EEA = USDC')).toEqual(ALL);
    expect(await create(stricter, { customer_country: 'DE' }, 'EEA = USDC')).toHaveProperty('error');
    expect(await offered(stricter, { customer_country: 'FR' }, 'EEA = USDC')).toEqual(['bsc USDC']);
  });

  it('hold beside the pairs that the operator allows the store', async () => {
    const store = await storeWith('');
    const { storeId } = store;
    await setAllowedPairs(
      { pool: database.pool, clock },
      { storeId, version: await versionOf(storeId), pairs: ['tron-USDT'] },
      ACTOR,
    );
    expect(await create(store, { customer_country: 'DE' }, 'EEA = USDC')).toMatchObject({
      error: { code: 'INVALID_CURRENCY' },
    });
    expect(await offered(store, { customer_country: 'US' }, 'EEA = USDC')).toEqual(['tron USDT']);
  });

  it('decide what a payment link shows before its session, for a customer of an unknown country', () => {
    const store: SessionStore = {
      ...{
        storeId: 'st_1',
        environment: 'live' as const,
        usdCurrencies: ['USDT', 'USDC'],
        networks: [],
        allowedPairs: [],
      },
      ...{ countryRules: '', acceptsOtherToken: false, settlementCurrency: 'USDT', spreadBasisPoints: 0 },
    };
    expect(offeredIn(configWith('unknown = USDC'), store, 'USD')).toEqual({ networks: ['bsc'], tokens: ['USDC'] });
    expect(offeredIn(configWith('unknown = USDC'), store, 'EUR')).toEqual({ networks: ['bsc'], tokens: ['USDC'] });
    expect(offeredIn(configWith('unknown = none'), store, 'USD')).toEqual({ networks: [], tokens: [] });
  });
});

it.each(['UK', 'EU', 'XX', 'DEU', 'D', '', 49])(
  'customer_country %j is refused by its name',
  async (customer_country) => {
    expect(await create(await storeWith(''), { customer_country })).toMatchObject({
      error: { code: 'INVALID_PARAMETER', param: 'customer_country' },
    });
  },
);

it('rules that are too long to be read again are refused, and those before them stay', async () => {
  const { storeId } = await storeWith('EEA = USDC');
  const places = [...COUNTRIES];
  const rules = Array.from({ length: 7 }, () => ({ places, tokens: ['USDC'] }));
  const version = await versionOf(storeId);
  const long = setCountryRules({ pool: database.pool, clock }, { storeId, version, rules }, ACTOR);
  await expect(long).rejects.toMatchObject({ code: 'INVALID_PARAMETER', message: expect.stringContaining('too long') });
  expect(await versionOf(storeId)).toBe(version);
});

it('a change is in the audit log with both texts, and one of another version changes nothing', async () => {
  const { storeId } = await storeWith('EEA = USDC');
  const version = await versionOf(storeId);
  await setCountryRules({ pool: database.pool, clock }, { storeId, version, rules: [] }, ACTOR);
  const again = setCountryRules({ pool: database.pool, clock }, { storeId, version, rules: [] }, ACTOR);
  await expect(again).rejects.toMatchObject({ code: 'STORE_CHANGED' });
  const { rows } = await database.pool.query(
    `SELECT details FROM audit_entries WHERE store_id = $1 AND action = 'store.country_rules' ORDER BY number`,
    [storeId],
  );
  expect(rows).toEqual([{ details: { from: '', to: 'EEA = USDC' } }, { details: { from: 'EEA = USDC', to: '' } }]);
});
