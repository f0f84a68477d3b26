// The step with a real database and the sandbox's rate source on loopback, which can be made to fail.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openPool } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { sendJson } from '@/sandbox/http';
import { LocalRates } from '@/sandbox/rates/source';
import { lockRate } from './lock';
import { PROVIDERS } from './sources';
import { rateText } from './quote';
import { ratesStep } from './step';

let db: TestDatabase;
let server: http.Server;
let origin: string;
let clock: TestClock;
let rates: LocalRates;
let context: Context;
let step: ReturnType<typeof ratesStep>;
let requested: string[] = [];

beforeAll(async () => {
  db = await openTestDatabase();
  server = http.createServer((request, response) => {
    const exchange = { request, response, url: new URL(request.url ?? '/', 'http://sandbox.invalid') };
    const isOrder = exchange.url.pathname === '/control/rates';
    if (!isOrder) requested.push(exchange.url.pathname.split('/')[2] ?? '');
    (isOrder ? rates.obey(exchange) : rates.serve(exchange)).catch((error: Error) => {
      sendJson(response, 400, { message: error.message });
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  await db.close();
});

// Each test begins a day later, so that no earlier price is fresh or sets a band.
let day = 0;
beforeEach(async () => {
  clock = new TestClock(1_800_000_000 + 86_400 * 2 * ++day);
  rates = new LocalRates(clock);
  requested = [];
  await db.pool.query('TRUNCATE rate_observations, rate_sources, coin_prices');
  const sources = Object.keys(PROVIDERS).map((name) => `${name}=${origin}/rates/${name}`);
  const config = testConfig({ RATE_SOURCES: sources.join(' ') });
  // Rates are cached per pool, so each test has its own pool.
  context = { ...testContext(db, clock, config), pool: openPool(db.url, 5) };
  step = ratesStep(config);
});

afterEach(() => context.pool.end());

const order = async (what: object): Promise<void> => {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${origin}/control/rates`, { method: 'POST', headers, body: JSON.stringify(what) });
  expect(answer.status).toBe(200);
};
/** Advances the clock in the intervals of the worker. */
const pass = async (seconds: number): Promise<void> => {
  for (let done = 0; done < seconds; done += 15) {
    clock.advance(15);
    await step(context);
  }
};
const lock = (currency: string, token: 'USDT' | 'USDC' = 'USDT', spreadBasisPoints = 0) =>
  lockRate(context, { currency, token, spreadBasisPoints }).then(rateText, (error: { code: string }) => error.code);
const row = (source: string) => db.prisma.rateSource.findUniqueOrThrow({ where: { source } });

test('every source is requested in parallel, and the sandbox’s currencies have a rate', async () => {
  expect(await lock('EUR')).toBe('EXCHANGE_RATE_UNAVAILABLE');
  await step(context);
  clock.advance(1.1);
  expect(requested.toSorted()).toEqual(['binance', 'coinbase', 'er-api', 'frankfurter', 'kraken']);
  const near = { EUR: 1.153, GBP: 1.317, JPY: 0.006393, KWD: 3.256, CNY: 0.14048 };
  for (const [currency, about] of Object.entries(near)) {
    const rate = await lock(currency);
    expect([currency, Math.abs(Number(rate) / about - 1) < 0.002]).toEqual([currency, true]);
    expect(rate).toMatch(/^\d+\.\d+$/);
    expect(Number(await lock(currency, 'USDC', 100))).toBeCloseTo(Number(rate) * 1.01, 6);
  }
});

test('a currency that no responding source quotes is rejected as unknown', async () => {
  await order({ source: 'er-api', dead: true });
  await step(context);
  expect(await lock('KPW')).toBe('EXCHANGE_RATE_UNAVAILABLE');
  await order({ reset: true });
  await pass(15);
  expect(await lock('KPW')).toBe('INVALID_CURRENCY');
});

test('markets are requested every 15 seconds, references every hour', async () => {
  for (let second = 0; second < 60; second++) {
    await step(context);
    clock.advance(1);
  }
  const times = (source: string) => requested.filter((one) => one === source).length;
  expect(['coinbase', 'kraken', 'binance', 'frankfurter', 'er-api'].map(times)).toEqual([4, 4, 4, 1, 1]);
  clock.advance(3600);
  await step(context);
  expect(times('er-api')).toBe(2);
});

test('a clock that is set back neither stops the requests nor makes an old price count as fresh later', async () => {
  await step(context);
  const before = await lock('EUR');
  clock.advance(-3600);
  requested = [];
  // The cached rates are from a future time.
  expect([before, await lock('EUR')]).toEqual([expect.stringMatching(/^1\.1/), 'EXCHANGE_RATE_UNAVAILABLE']);
  await order({ source: 'kraken', dead: true });
  await step(context);
  await step(context);
  expect(requested.toSorted()).toEqual(['binance', 'coinbase', 'er-api', 'frankfurter', 'kraken']);
  clock.advance(1.1);
  expect(await lock('EUR')).toMatch(/^1\.1/);
});

test('two workers do not request a source twice', async () => {
  await Promise.all([step(context), ratesStep(context.config)(context), ratesStep(context.config)(context)]);
  expect(requested).toHaveLength(5);
});

test('a failing source is retried after a growing pause', async () => {
  await order({ source: 'coinbase', status: 503 });
  const waits: number[] = [];
  for (let failure = 0; failure < 5; failure++) {
    await step(context);
    const { nextAt, failures, trouble } = await row('coinbase');
    expect([failures, trouble]).toEqual([failure + 1, 'coinbase answered with status 503']);
    waits.push((nextAt.getTime() - clock.now().getTime()) / 1000);
    clock.advance(waits.at(-1) ?? 0);
  }
  expect(waits).toEqual([5, 10, 20, 40, 60]);
  await order({ source: 'coinbase' });
  await step(context);
  expect(await row('coinbase')).toMatchObject({ failures: 0, trouble: null, answeredAt: clock.now() });
});

test.each([
  [1200, 1200],
  [90_000, 3600],
])('a source with a Retry-After of %i seconds is requested again after %i', async (retry_after, wait) => {
  await order({ source: 'er-api', status: 429, retry_after });
  await step(context);
  const { nextAt } = await row('er-api');
  expect(nextAt.getTime() - clock.now().getTime()).toBe(wait * 1000);
});

test.each([
  ['dead', { dead: true }],
  ['answering with a page', { body: '<html></html>' }],
  ['answering with another thing', { body: '{"error":["EService:Busy"]}' }],
  ['redirecting', { status: 302 }],
])('when all sources are %s, a rate stays valid for a minute and no longer', async (_, behaviour) => {
  await step(context);
  await order(behaviour);
  await pass(45);
  expect(await lock('EUR')).toMatch(/^1\.15/);
  await pass(30);
  expect(await lock('EUR')).toBe('EXCHANGE_RATE_UNAVAILABLE');
  expect((await row('kraken')).trouble).toMatch(/^kraken/);
  await order({ reset: true });
  await pass(60);
  expect(await lock('EUR')).toMatch(/^1\.15/);
});

test('when all markets respond with stale prices, there is no rate', async () => {
  await order({ stale_seconds: 120 });
  await step(context);
  expect(await lock('EUR')).toBe('EXCHANGE_RATE_UNAVAILABLE');
});

test('a faulty source does not move the rate: its jump is held back, and later it is outvoted', async () => {
  await step(context);
  const before = Number(await lock('EUR'));
  await order({ source: 'coinbase', factor: 1000 });
  await pass(15);
  const held = await db.prisma.rateObservation.findFirst({ where: { source: 'coinbase', currency: 'EUR' } });
  expect(held).toMatchObject({ price: '0.8672', heldPrice: '867.2', heldSince: clock.now() });
  expect(Number(await lock('EUR'))).toBe(before);
  await pass(3660);
  expect(await db.prisma.rateObservation.findFirst({ where: { source: 'coinbase', currency: 'EUR' } })).toMatchObject({
    ...{ price: '867.2', heldPrice: null },
  });
  expect(Math.abs(Number(await lock('EUR', 'USDC')) / before - 1)).toBeLessThan(0.01);
});

test('no price is converted into a token that has lost its peg until the peg is back', async () => {
  await order({ peg: 0.95 });
  await step(context);
  expect(await lock('EUR')).toBe('EXCHANGE_RATE_UNAVAILABLE');
  await order({ reset: true });
  await pass(30);
  expect(await lock('EUR')).toMatch(/^1\.15/);
});

const coinPrices = async () =>
  Object.fromEntries(
    (await db.prisma.coinPrice.findMany()).map(({ coin, price, agreedAt }) => [
      coin,
      [Number(price.toFixed(4)), agreedAt],
    ]),
  );

test('each network’s coin has the agreed market price and keeps the last one while the markets disagree', async () => {
  await step(context);
  const first = clock.now();
  const prices = await coinPrices();
  expect(Object.keys(prices).toSorted()).toEqual(['BNB', 'ETH', 'POL', 'SOL', 'TRX']);
  for (const [coin, about] of Object.entries({ ETH: 2500, BNB: 700, SOL: 150, TRX: 0.32, POL: 0.2 })) {
    expect(Math.abs(Number(prices[coin]?.[0]) / about - 1)).toBeLessThan(0.001);
    expect(prices[coin]?.[1]).toEqual(first);
  }
  await order({ dead: true });
  await pass(600);
  const kept = (await coinPrices()).ETH;
  expect([kept?.[0], Number(kept?.[1]) - first.getTime() <= 60_000]).toEqual([prices.ETH?.[0], true]);
  await order({ reset: true });
  await pass(120);
  expect((await coinPrices()).ETH?.[1]).toEqual(clock.now());
});

test('a coin that only one market quotes has no price', async () => {
  await order({ source: 'coinbase', dead: true });
  await step(context);
  expect(Object.keys(await coinPrices()).toSorted()).toEqual(['ETH', 'SOL', 'TRX']);
});

test('prices that no source reports any more are deleted, and the others stay', async () => {
  await step(context);
  const old = { currency: 'EUR', source: 'gone', price: '1', per: 'unit', sourceTime: clock.now() };
  await db.prisma.rateObservation.createMany({
    data: [
      { ...old, fetchedAt: new Date(clock.now().getTime() - 15 * 86_400_000) },
      { ...old, currency: 'GBP', fetchedAt: new Date(clock.now().getTime() - 13 * 86_400_000) },
    ],
  });
  await pass(15);
  expect(await db.prisma.rateObservation.findMany({ where: { source: 'gone' }, select: { currency: true } })).toEqual([
    { currency: 'GBP' },
  ]);
});

test('observations are read at most once a second, however many sessions are created', async () => {
  await step(context);
  let reads = 0;
  const query = context.pool.query.bind(context.pool) as (...given: unknown[]) => unknown;
  context.pool.query = ((...given: unknown[]) => (reads++, query(...given))) as typeof context.pool.query;
  await Promise.all(Array.from({ length: 20 }, () => lock('EUR')));
  expect(reads).toBe(1);
  clock.advance(1.1);
  await lock('EUR');
  expect(reads).toBe(2);
});

test('settings with an unknown source are rejected', () => {
  expect(() => ratesStep(testConfig({ RATE_SOURCES: 'kraken bitmart' }))).toThrow(/no source "bitmart"/);
});
