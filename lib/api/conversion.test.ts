// Sessions in other currencies, from the signed request to the stored row and the event.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { silentLog } from '@/testing/chain-clock';
import { codeOf, json, openApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import {
  makeAddresses,
  makeStore,
  signedRequest,
  TestClock,
  testConfig,
  testContext,
  type TestStore,
} from '@/testing/fixtures';
import { answer } from './answer';
import { openServices, type Services } from './services';

const CREATE = '/api/v1/checkout/sessions/create';
const config = testConfig({ RATE_SOURCES: 'coinbase kraken er-api' });
const clock = new TestClock();
let db: TestDatabase;
let services: Services;
let store: TestStore;

beforeAll(async () => {
  ({ db, services } = await openApi({ clock, config, networks: ['ethereum', 'bsc'], addresses: 0 }));
});
afterAll(() => db.close());
beforeEach(async () => {
  store = await makeStore(db, config);
  await makeAddresses(db, 20);
  // Rates of the last second are reused, so every test is a minute apart.
  clock.advance(60);
  await quoteAll();
});

/** Prices as the sources reported them, by currency. */
const QUOTES = [
  ['coinbase', 'EUR', '0.8672', 'dollar'],
  ['kraken', 'EUR', '1.1612', 'unit'],
  ['er-api', 'EUR', '0.867', 'dollar'],
  ['coinbase', 'JPY', '156.42', 'dollar'],
  ['er-api', 'JPY', '156.9', 'dollar'],
  ['coinbase', 'KWD', '0.30712', 'dollar'],
  ['er-api', 'KWD', '0.307', 'dollar'],
  ['coinbase', 'USDT', '1.0004', 'dollar'],
  ['kraken', 'USDT', '0.9997', 'unit'],
  ['kraken', 'USDC', '0.9999', 'unit'],
] as const;
async function quoteAll(ageSeconds = 5): Promise<void> {
  await db.pool.query('TRUNCATE rate_observations, rate_sources');
  const at = new Date(clock.now().getTime() - ageSeconds * 1000);
  await db.prisma.rateSource.createMany({
    data: ['coinbase', 'kraken', 'er-api'].map((source) => ({ source, answeredAt: at })),
  });
  await db.prisma.rateObservation.createMany({
    data: QUOTES.map(([source, currency, price, per]) => ({
      source,
      currency,
      price,
      per,
      sourceTime: at,
      fetchedAt: at,
    })),
  });
}

const draft = (over: object = {}) => ({ amount: 1000, currency: 'EUR', order_id: randomUUID(), ...over });
const send = (method: string, path: string, body = '', headers = {}) =>
  answer(services, signedRequest(store, { method, path, body, headers, now: clock.now() }));
const create = (over: object = {}, headers = {}) => send('POST', CREATE, JSON.stringify(draft(over)), headers);

/** amount × rate, rounded up to the cent, as a merchant computes it. */
function recompute(amount: number, digits: number, rate: string): number {
  const [whole = '', fraction = ''] = rate.split('.');
  const unit = 10n ** BigInt(digits + fraction.length);
  return Number((BigInt(amount) * BigInt(whole + fraction) * 100n + unit - 1n) / unit);
}

describe('a session in another currency', () => {
  test.each([
    ['EUR', 2, 1000, 1158],
    ['EUR', 2, 1, 2],
    ['eur', 2, 1000, 1158],
    ['JPY', 0, 1000, 640],
    ['JPY', 0, 1, 1],
    ['KWD', 3, 1000, 326],
    ['KWD', 3, 123_457, 40_199],
  ])(
    'in %s (%i minor digits) of %i costs %i cents, and the merchant can recompute it',
    async (code, digits, amount, due) => {
      const made = json(await create({ currency: code, amount }));
      expect(made).toMatchObject({
        ...{ amount_total: amount, currency: code.toUpperCase(), target_currency: 'USDT', target_amount_total: due },
        ...{ rate_locked_at: made.created, created: Math.floor(clock.now().getTime() / 1000) },
      });
      expect(made.exchange_rate).toMatch(/^\d+\.\d+$/);
      expect(recompute(amount, digits, made.exchange_rate)).toBe(due);
    },
  );

  test('is converted to the token that the country rules leave', async () => {
    await db.pool.query(`UPDATE stores SET country_rules = 'EEA = USDC' WHERE id = $1`, [store.storeId]);
    expect(json(await create({ customer_country: 'DE' }))).toMatchObject({ target_currency: 'USDC' });
    expect(json(await create({ customer_country: 'GB' }))).toMatchObject({ target_currency: 'USDT' });
  });

  test('stores the inputs of its rate, offers the one token, and is the same on a later read', async () => {
    const made = json(await create());
    const row = await db.prisma.session.findUniqueOrThrow({ where: { id: made.id } });
    expect(row).toMatchObject({
      ...{ amountTotal: 1000n, amountDue: BigInt(made.target_amount_total), currencies: ['USDT'] },
      ...{ exchangeRate: made.exchange_rate, networks: ['bsc', 'ethereum'] },
    });
    const { observations, spread_basis_points } = row.rateBasis as {
      observations: object[];
      spread_basis_points: number;
    };
    expect(spread_basis_points).toBe(0);
    expect(observations).toHaveLength(5);
    expect(observations).toContainEqual(
      expect.objectContaining({ source: 'kraken', currency: 'EUR', price: '1.1612', per: 'unit' }),
    );
    expect(json(await send('GET', `/api/v1/checkout/sessions/${made.id}`))).toMatchObject(made);
  });

  test('keeps its price permanently', async () => {
    const { id } = json(await create());
    for (const change of ["exchange_rate = '2'", 'amount_due = 1', 'amount_total = 1', "currencies = '{USDC}'"]) {
      await expect(db.pool.query(`UPDATE sessions SET ${change} WHERE id = $1`, [id])).rejects.toThrow(/is locked/);
    }
  });

  test('can be canceled, and response and event contain the rate', async () => {
    const made = json(await create());
    const canceled = json(await send('POST', `/api/v1/checkout/sessions/${made.id}/cancel`));
    const { exchange_rate, target_currency, target_amount_total, rate_locked_at } = made;
    expect(canceled).toMatchObject({ exchange_rate, target_currency, target_amount_total, rate_locked_at });
    const event = await db.prisma.event.findFirstOrThrow({ where: { objectId: made.id } });
    expect(JSON.parse(event.body).data.object).toMatchObject({
      ...{ amount: target_amount_total, currency: 'USDT', exchange_rate },
    });
  });

  test('that is paid reports its rate in the event', async () => {
    const made = json(await create());
    const chain = await db.prisma.chain.findFirstOrThrow({ where: { network: 'ethereum' } });
    const where = { chainId: chain.id, network: 'ethereum', sessionId: made.id, transactionHash: '0xpaid', ordinal: 0 };
    const block = { blockNumber: 91, blockHash: '0xb', blockTime: clock.now() };
    const amount = BigInt(made.target_amount_total) * 10_000n;
    const what = {
      currency: 'USDT',
      contract: '0xt',
      payer: '0xp',
      recipient: '0xr',
      amount: String(amount),
      decimals: 6,
    };
    await db.prisma.transfer.create({ data: { ...where, ...block, ...what } });
    await transaction(db.pool, (tx) => settleSessions(tx, [made.id], { now: clock.now(), log: silentLog() }));
    const event = await db.prisma.event.findFirstOrThrow({ where: { objectId: made.id } });
    expect(JSON.parse(event.body)).toMatchObject({ type: 'payment.completed' });
    expect(JSON.parse(event.body).data.object).toMatchObject({
      ...{ amount: made.target_amount_total, amount_received: made.target_amount_total },
      ...{ currency: 'USDT', exchange_rate: made.exchange_rate },
    });
  });

  test('is converted into the store’s token, with the store’s spread', async () => {
    const plain = json(await create());
    await db.prisma.store.update({
      where: { id: store.storeId },
      data: { settlementCurrency: 'USDC', spreadBasisPoints: 100 },
    });
    services = openServices(testContext(db, clock, config));
    const made = json(await create());
    expect(made.target_currency).toBe('USDC');
    expect(Number(made.exchange_rate) / Number(plain.exchange_rate)).toBeCloseTo(1.01, 8);
    expect(recompute(1000, 2, made.exchange_rate)).toBe(made.target_amount_total);
  });

  test('has items in its own currency that add up in it', async () => {
    const line_items = [
      { price_data: { currency: 'jpy', unit_amount: 250, product_data: { name: 'Tea' } }, quantity: 4 },
    ];
    expect(json(await create({ currency: 'JPY', line_items }))).toMatchObject({ target_amount_total: 640 });
    expect(codeOf(await create({ currency: 'JPY', amount: 1001, line_items }))).toEqual([400, 'AMOUNT_MISMATCH']);
  });

  test('that would cost more than any token’s limit is refused', async () => {
    expect(codeOf(await create({ currency: 'EUR', amount: 10 ** 15 }))).toEqual([400, 'INVALID_AMOUNT']);
    expect((await create({ currency: 'JPY', amount: 10 ** 15 })).status).toBe(200);
  });
});

test.each(['USD', 'USDT', 'USDC'])('a session in %s has no rate, and needs none', async (currency) => {
  await quoteAll(3600);
  const made = json(await create({ currency }));
  expect(made).toMatchObject({ amount_total: 1000, currency });
  expect(Object.keys(made).filter((name) => /rate|target/.test(name))).toEqual([]);
});

test.each(['XXX', 'BTC', 'XAU', 'US$', ' EUR', 'EURO', 'UЅD', 'uſd', 'ＥＵＲ', '', 'HRK'])(
  '%j is not a currency',
  async (currency) => {
    const refused = await create({ currency });
    expect([...codeOf(refused), json(refused).error.param]).toEqual([400, 'INVALID_CURRENCY', 'currency']);
  },
);

test('a currency that no source quotes is not accepted', async () => {
  expect(codeOf(await create({ currency: 'KPW' }))).toEqual([400, 'INVALID_CURRENCY']);
});

describe('without a trustworthy rate', () => {
  const faults: [string, () => Promise<unknown>][] = [
    ['of a minute ago at most', () => quoteAll(61)],
    ['from more than one source', () => db.pool.query(`DELETE FROM rate_observations WHERE source <> 'kraken'`)],
    [
      'from sources that agree',
      () =>
        db.pool.query(
          `UPDATE rate_observations SET price = CASE source WHEN 'coinbase' THEN '2' WHEN 'er-api' THEN '3' ELSE price END WHERE currency = 'EUR'`,
        ),
    ],
    [
      'for a token that is a dollar',
      () => db.pool.query(`UPDATE rate_observations SET price = '0.9' WHERE currency = 'USDT'`),
    ],
    ['because nothing is known', () => db.pool.query('TRUNCATE rate_observations, rate_sources')],
  ];
  test.each(faults)('%s, nothing is created and the caller is told to retry', async (_, fault) => {
    await fault();
    const [sessions, addresses] = [await db.prisma.session.count(), await db.prisma.addressPoolEntry.count()];
    const order_id = randomUUID();
    const refused = await create({ order_id });
    expect(codeOf(refused)).toEqual([503, 'EXCHANGE_RATE_UNAVAILABLE']);
    expect(refused.headers['Retry-After']).toBe('15');
    expect([await db.prisma.session.count(), await db.prisma.addressPoolEntry.count()]).toEqual([sessions, addresses]);
    expect((await create({ currency: 'USD' })).status).toBe(200);
    clock.advance(2);
    await quoteAll();
    expect((await create({ order_id })).status).toBe(200);
  });

  test('a repeated request still gets its first response, and a new one with its key is refused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = JSON.stringify(draft());
    const first = await send('POST', CREATE, body, headers);
    clock.advance(120);
    expect((await send('POST', CREATE, body, headers)).body).toBe(first.body);
    expect(codeOf(await send('POST', CREATE, JSON.stringify(draft()), headers))).toEqual([
      400,
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    expect(codeOf(await create({}, { 'idempotency-key': randomUUID() }))).toEqual([503, 'EXCHANGE_RATE_UNAVAILABLE']);
  });
});

test('a create is one round trip: a conversion adds one that many share for a second', async () => {
  await create({ currency: 'USD' });
  const statements: string[] = [];
  const counted = { ...services, pool: Object.create(db.pool) as typeof db.pool };
  counted.pool.query = ((given: { name: string }, ...rest: unknown[]) => {
    statements.push(given.name);
    return (db.pool.query as (...all: unknown[]) => unknown)(given, ...rest);
  }) as typeof db.pool.query;
  const request = (currency: string) =>
    signedRequest(store, { path: CREATE, body: JSON.stringify(draft({ currency })), now: clock.now() });
  await answer(counted, request('USD'));
  expect(statements).toEqual(['create-session']);
  await answer(counted, request('EUR'));
  expect(statements.slice(1)).toEqual(['read-rates', 'create-session']);
  await answer(counted, request('EUR'));
  expect(statements.slice(3)).toEqual(['create-session']);
});
