// Rows M-15 to M-28 of docs/failure-model.md#money-and-creation: the other fields of a new session, and when creation is
// refused.

import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeAddresses, makeChain, makeStore } from '@/testing/fixtures';
import { coinbase } from '@/lib/money/rates/providers/coinbase';
import { openFrontServer, outcome, SESSIONS, type Answered, type FrontServer } from '@/testing/front-server';
import { makeRates } from '@/testing/rates';

let front: FrontServer;
beforeAll(async () => {
  front = await openFrontServer({
    RATE_SOURCES: 'coinbase er-api',
    LIVE_TRON_URLS: 'default',
    LIVE_BSC_URLS: 'default',
  });
});
afterAll(() => front.close());

const DUPLICATE = '400 DUPLICATE_ORDER_ID order_id';
const draft = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });
const send = (over: object = {}) => front.send({ body: draft(over) });
const call = async (over: object = {}) => outcome(await send(over));
const sessionCount = () => front.db.prisma.session.count();

test.each([
  undefined,
  '',
  'x'.repeat(129),
  'x'.repeat(256),
  'a\nb',
  'a\u007f',
  'a\u0085',
  'a\u202eb',
  'a\u2066b',
  '\u001b[31m',
])('M-15 the order_id %j', async (order_id) => {
  expect(await call({ order_id })).toBe('400 INVALID_PARAMETER order_id');
});

test('M-15 accepts emoji, other scripts and surrounding spaces as ordinary text', async () => {
  for (const order_id of ['🧾 42', ' padded ', '订单', 'é'.repeat(128), '😀'.repeat(128), '<b>', `' OR 1=1 --`]) {
    const { json } = await send({ order_id });
    const read = await front.send({ method: 'GET', path: `${SESSIONS}/${String(json.id)}` });
    expect([json.metadata, read.json.metadata]).toEqual([{ order_id }, { order_id }]);
  }
});

test('M-16 an é of one character and one of two are two order ids, each returned as it was sent', async () => {
  for (const order_id of ['caf\u00e9', 'cafe\u0301'])
    expect((await send({ order_id })).json.metadata).toEqual({ order_id });
  expect(await call({ order_id: 'caf\u00e9' })).toBe(DUPLICATE);
});

test('M-17 the same order_id with the same content is refused, and Idempotency-Key repeats safely', async () => {
  const body = draft();
  const headers = { 'idempotency-key': randomUUID() };
  const [first, again] = [await front.send({ body, headers }), await front.send({ body, headers })];
  expect([outcome(first), outcome(again), again.json]).toEqual(['200', '200', first.json]);
  expect(outcome(await front.send({ body }))).toBe(DUPLICATE);
});

test('M-18 the same order_id with another amount', async () => {
  const order_id = randomUUID();
  expect([await call({ order_id }), await call({ order_id, amount: 1 })]).toEqual(['200', DUPLICATE]);
});

test('M-19 exactly one of 50 concurrent creates with one order_id makes a session', async () => {
  const [order_id, before] = [randomUUID(), await sessionCount()];
  const answers = await Promise.all(Array.from({ length: 50 }, () => call({ order_id })));
  expect(answers.toSorted()).toEqual(['200', ...Array<string>(49).fill(DUPLICATE)]);
  expect(await sessionCount()).toBe(before + 1);
});

test('M-20 the same order_id in another store, and in the live environment', async () => {
  const body = draft();
  const live = await openFrontServer({ LIVE_BSC_URLS: 'default' });
  try {
    await makeChain(live.db, 'bsc', live.clock.now().getTime() / 1000, 'live');
    await makeAddresses(live.db, 5, 'live');
    const store = await makeStore(live.db, live.config, 'live');
    await live.db.pool.query('UPDATE api_keys SET store_id = $1 WHERE id = $2', [live.store.storeId, store.keyId]);
    const stores = [live.store, await makeStore(live.db, live.config), store];
    for (const one of stores) expect(outcome(await live.send({ store: one, body }))).toBe('200');
    for (const one of stores) expect(outcome(await live.send({ store: one, body }))).toBe(DUPLICATE);
  } finally {
    await live.close();
  }
});

test.each([59, 3601, 60.5, '600', -1, 0, true, 2 ** 53])('M-21 expires_in %j', async (expires_in) => {
  expect(await call({ expires_in })).toBe('400 INVALID_PARAMETER expires_in');
});

test.each([
  [60, 60],
  [3600, 3600],
  [undefined, 1800],
])('M-21 expires_in %j is accepted', async (expires_in, seconds) => {
  const { json } = await send({ expires_in });
  expect(Number(json.expires_at) - Number(json.created)).toBe(seconds);
});

const BAD_URLS = [
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\nscript:alert(1)',
    '\u0001javascript:alert(1)',
    ' javascript:alert(1)',
  ],
  ...[
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    'https://u:p@evil.example',
    'https://u@evil.example',
  ],
  ...[
    'https:evil.example',
    'https:/evil.example',
    'https:\\\\evil.example',
    'https://a\\b.example',
    '/relative',
    'shop.example',
    '',
  ],
  ...[
    'https://',
    'https://a b.example',
    'https://a.example/\nx',
    'https://a.example/\u0000',
    `https://a.example/${'x'.repeat(3000)}`,
  ],
  ...[
    'blob:https://a.example/1',
    'ftp://a.example',
    'https://a.example:99999',
    'https://[::1',
    'ｈttps://a.example',
    '\ufeffhttps://a.example',
  ],
];
test.each(BAD_URLS)('M-22 the address %j', async (url) => {
  const expected = url.includes('\u0000')
    ? ['400 INVALID_JSON body', '400 INVALID_JSON body']
    : ['success_url', 'cancel_url'].map((name) => `400 INVALID_PARAMETER ${name}`);
  expect([await call({ success_url: url }), await call({ cancel_url: url })]).toEqual(expected);
});

test('M-22 plain http is only for the test environment', async () => {
  expect(await call({ success_url: 'http://shop.example/done' })).toBe('200');
  const store = await makeStore(front.db, front.config, 'live');
  for (const name of ['success_url', 'cancel_url']) {
    const answer = await front.send({ store, body: draft({ [name]: 'http://shop.example/done' }) });
    expect(outcome(answer)).toBe(`400 INVALID_PARAMETER ${name}`);
  }
});

test('M-23 an address within a private network is allowed, and this service never opens it', async () => {
  let opened = 0;
  const shop = http.createServer((_, response) => response.end(String(++opened)));
  shop.on('connection', () => opened++);
  await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening));
  const { port } = shop.address() as AddressInfo;
  for (const host of [`127.0.0.1:${port}`, '10.0.0.1', '169.254.169.254', '[::1]']) {
    const url = `https://${host}/done`;
    expect(await call({ success_url: url, cancel_url: url })).toBe('200');
  }
  shop.close();
  expect(opened).toBe(0);
});

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
test.each<[string, object, string]>([
  ['51 keys', keys(51), 'metadata'],
  ['a key of 41 characters', { ['k'.repeat(41)]: 'v' }, `metadata.${'k'.repeat(41)}`],
  ['an empty key', { '': 'v' }, 'metadata.'],
  ['a value of 501 characters', { k: 'v'.repeat(501) }, 'metadata.k'],
  ['a number', { k: 1 }, 'metadata.k'],
  ['an object', { k: {} }, 'metadata.k'],
  ['null', { k: null }, 'metadata.k'],
  ['true', { k: true }, 'metadata.k'],
])('M-24 metadata with %s', async (_, metadata, param) => {
  expect(await call({ metadata })).toBe(`400 INVALID_PARAMETER ${param}`);
});

test('M-24 metadata at its limits; the key order_id is always the order_id of the request', async () => {
  const full = { ...keys(48), ['k'.repeat(40)]: 'v'.repeat(500), order_id: 'another' };
  const order_id = randomUUID();
  expect((await send({ order_id, metadata: full })).json.metadata).toEqual({ ...full, order_id });
});

const UNAVAILABLE = '503 EXCHANGE_RATE_UNAVAILABLE currency';
test.each<[string, (now: Date) => Promise<void>]>([
  ['stale', (now) => makeRates(front.db, now, { EUR: '0.867', USDT: '1' }, 1_000_000)],
  ['of a token that is off its peg', (now) => makeRates(front.db, now, { EUR: '0.867', USDT: '0.5' })],
  [
    'of one source alone',
    async (now) => {
      await makeRates(front.db, now, { EUR: '0.867', USDT: '1' });
      await front.db.pool.query(`DELETE FROM rate_observations WHERE source = 'er-api'`);
    },
  ],
  [
    'inverted at one source',
    async (now) => {
      await makeRates(front.db, now, { EUR: '0.867', USDT: '1' });
      await front.db.pool.query(
        `UPDATE rate_observations SET price = '1.1534' WHERE source = 'er-api' AND currency = 'EUR'`,
      );
    },
  ],
])('M-25 rates that are %s: nothing is created', async (_, tell) => {
  front.clock.advance(120);
  await tell(front.clock.now());
  const before = await sessionCount();
  const answer = await send({ currency: 'EUR' });
  expect([outcome(answer), Number(answer.headers['retry-after']) > 0]).toEqual([UNAVAILABLE, true]);
  expect(await sessionCount()).toBe(before);
});

test('M-25 ignores a source that reports zero', async () => {
  front.clock.advance(120);
  const now = front.clock.now();
  const told = JSON.stringify({ data: { currency: 'USD', rates: { EUR: '0', JPY: '0.00', USDT: '1' } } });
  expect(coinbase.parse(told, now).map(({ currency }) => currency)).toEqual(['USDT']);
  await makeRates(front.db, now, { EUR: '0.867', USDT: '1' });
  await front.db.pool.query(`DELETE FROM rate_observations WHERE source = 'coinbase' AND currency = 'EUR'`);
  expect(await call({ currency: 'EUR' })).toBe(UNAVAILABLE);
});

test.each([
  ['an unknown network', { network: 'bitcoin' }, 'network'],
  ['a network that is not followed', { network: 'solana' }, 'network'],
  ['an unknown token', { currency: 'DAI' }, 'currency'],
  ['a currency that is no token', { currency: 'USD' }, 'currency'],
  ['a network that is no text', { network: 1 }, 'network'],
])('M-26 %s', async (_, crypto, field) => {
  const body = { mode: 'payment', amount: '1.00', payment_method_options: { crypto } };
  expect(await call(body)).toBe(`400 INVALID_PARAMETER payment_method_options.crypto.${field}`);
});

test('M-26 USDC on TRON, which its issuer has discontinued', async () => {
  const store = await makeStore(front.db, front.config, 'live');
  const crypto = { network: 'tron', currency: 'USDC' };
  const body = draft({ mode: 'payment', amount: '1.00', payment_method_options: { crypto } });
  const answer = await front.send({ store, body });
  expect(outcome(answer)).toBe('400 INVALID_PARAMETER payment_method_options.crypto.network');
});

const named = (name: string) => [
  { price_data: { currency: 'USD', unit_amount: 1250, product_data: { name } }, quantity: 1 },
];
test('M-27 a product name is refused by its length and stored as plain text', async () => {
  const zalgo = `Z${'\u0300\u0301\u0302'.repeat(20)}`;
  for (const name of ['<script>alert(1)</script>', zalgo, '   ', '{{7*7}}', '=1+1', 'x'.repeat(256)]) {
    const { json } = await send({ line_items: named(name) });
    const row = await front.db.prisma.session.findUniqueOrThrow({ where: { id: String(json.id) } });
    expect(JSON.stringify([json.line_items, row.lineItems])).toBe(JSON.stringify([named(name), named(name)]));
  }
  for (const name of ['', 'x'.repeat(257), 'x'.repeat(10_000), 'a\u202eb', 'a\nb']) {
    expect(await call({ line_items: named(name) })).toBe(
      '400 INVALID_PARAMETER line_items[0].price_data.product_data.name',
    );
  }
});

test('M-28 an address that no worker watches is never assigned', async () => {
  const retire = (sql: string) => front.db.pool.query(`UPDATE chains SET retired_at = ${sql}`);
  const networksOf = async (answer: Answered) =>
    (await front.db.prisma.session.findUniqueOrThrow({ where: { id: String(answer.json.id) } })).networks;
  await retire(`now() WHERE network IN ('bsc', 'tron')`);
  expect(await networksOf(await send())).toEqual(['ethereum']);
  await retire('now()');
  const before = await sessionCount();
  expect(await call()).toBe('503 SERVICE_UNAVAILABLE');
  expect(await sessionCount()).toBe(before);
  await retire('NULL');
  expect(await networksOf(await send())).toEqual(['bsc', 'ethereum', 'tron']);
});
