// Rows M-01 to M-14 of docs/failure-model.md#money-and-creation: amounts, sums and currencies.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRates } from '@/testing/rates';
import { openFrontServer, outcome, SESSIONS, type FrontServer } from '@/testing/front-server';

let front: FrontServer;
beforeAll(async () => {
  front = await openFrontServer({ RATE_SOURCES: 'coinbase er-api' });
  await makeRates(front.db, front.clock.now(), { EUR: '0.867', JPY: '156.5', KWD: '0.307', VND: '26000', USDT: '1' });
});
afterAll(() => front.close());

const AMOUNT = '400 INVALID_AMOUNT amount';
const draft = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });
const send = (over: object = {}) => front.send({ body: draft(over) });
const request = async (over: object = {}) => outcome(await send(over));
/** A correct body with this text as its amount. */
const createWithAmount = async (text: string) => {
  const { amount: _, ...rest } = draft();
  return front.send({ body: `{"amount":${text},${JSON.stringify(rest).slice(1)}` });
};

type Item = { currency?: unknown; unit_amount?: unknown; quantity?: unknown };
const item = ({ currency = 'USD', unit_amount = 1250, ...rest }: Item = {}) => ({
  price_data: { currency, unit_amount, product_data: { name: 'A' } },
  quantity: 1,
  ...rest,
});

test('M-01 reads text as major units and an integer as minor units in the quick-start variant; elsewhere text is refused', async () => {
  expect(await request({ amount: '100' })).toBe('400 INVALID_AMOUNT amount');
  const { status, json } = await send({ mode: 'payment', amount: 1250 });
  expect([status, Object.keys(json)]).toEqual([200, ['base', 'session']]);
  expect(await request({ mode: 'payment', amount: '12.50' })).toBe('200');
  for (const amount of [
    12.5,
    null,
    '12.505',
    '1e2',
    '-1',
    '0',
    '',
    ' 1',
    '1 ',
    '01',
    '1,00',
    '.5',
    '5.',
    '1'.repeat(30),
  ]) {
    expect(await request({ mode: 'payment', amount })).toBe(AMOUNT);
  }
});

test.each([
  '1e3',
  '100.0',
  '100.5',
  '-0',
  '0',
  '-1',
  'true',
  'false',
  'null',
  '[]',
  '{}',
  '[100]',
  '1E2',
  '-100',
  '0.0',
])('M-02 the amount %s', async (text) => {
  expect(outcome(await createWithAmount(text))).toBe(AMOUNT);
});

test('M-02 no amount', async () => {
  expect(await request({ amount: undefined })).toBe(AMOUNT);
});

test('M-03 refuses what a double cannot hold, never rounds, and stores the largest amount exactly', async () => {
  for (const text of ['9007199254740991', '9007199254740992', '9007199254740993', '1000000000000001']) {
    expect(outcome(await createWithAmount(text))).toBe(AMOUNT);
  }
  for (const amount of [1_000_000_000_000_000, 999_999_999_999_999, 1]) {
    const { json } = await createWithAmount(String(amount));
    expect([
      json.amount_total,
      (await front.send({ method: 'GET', path: `${SESSIONS}/${String(json.id)}` })).json.amount_total,
    ]).toEqual([amount, amount]);
  }
});

test.each([
  '9223372036854775807',
  '9223372036854775808',
  `1${'0'.repeat(30)}`,
  '18446744073709551616',
  '-9223372036854775808',
])('M-04 the amount %s', async (text) => {
  expect(outcome(await createWithAmount(text))).toBe(AMOUNT);
});

test.each([
  [1251, 0, 0],
  [1249, 0, 0],
  [1250, 1, 0],
  [1250, 0, 1],
  [1351, 50, 50],
])('M-05 amount %i with items of 1250, tax %i and shipping %i', async (amount, tax_amount, shipping_amount) => {
  expect(await request({ amount, tax_amount, shipping_amount, line_items: [item()] })).toBe(
    '400 AMOUNT_MISMATCH amount',
  );
});

test('M-05 a correct sum, and tax and shipping in addition to an amount without items', async () => {
  const parts = { tax_amount: 30, shipping_amount: 20 };
  expect(await request({ amount: 2550, ...parts, line_items: [item({ quantity: 2 })] })).toBe('200');
  expect(await request({ amount: 50, ...parts })).toBe('200');
  expect(await request({ amount: 49, ...parts })).toBe('400 AMOUNT_MISMATCH amount');
});

test('M-06 a product beyond 64 bits', async () => {
  const [huge, many] = [2 ** 40, 2 ** 40];
  expect(await request({ line_items: [item({ unit_amount: huge, quantity: many })] })).toBe(
    '400 INVALID_PARAMETER line_items[0].quantity',
  );
  // Within the limits: a hundred products of nine times ten to the twenty-first each.
  const items = Array.from({ length: 100 }, () => item({ unit_amount: Number.MAX_SAFE_INTEGER, quantity: 1_000_000 }));
  expect(await request({ amount: 1, line_items: items })).toBe('400 AMOUNT_MISMATCH amount');
  // 2^64 + 1 in total, which wraps to 1 in 64 bits.
  const wraps = [item({ unit_amount: 2 ** 52, quantity: 4096 }), item({ unit_amount: 1 })];
  expect(await request({ amount: 1, line_items: wraps })).toBe('400 AMOUNT_MISMATCH amount');
});

test('M-07 negative parts that would make the sum correct', async () => {
  const items = [item({ unit_amount: 1350 }), item({ unit_amount: -100 })];
  expect(await request({ line_items: items })).toBe('400 INVALID_AMOUNT line_items[1].price_data.unit_amount');
  for (const field of ['tax_amount', 'shipping_amount']) {
    for (const value of [-1, 0.5, '1', true, 2 ** 53]) {
      expect(await request({ [field]: value, line_items: [item()] })).toBe(`400 INVALID_AMOUNT ${field}`);
    }
  }
});

test.each([0, -1, 1.5, '2', 1e9, 1_000_001, true])('M-07 the quantity %j', async (quantity) => {
  expect(await request({ line_items: [item({ quantity })] })).toBe('400 INVALID_PARAMETER line_items[0].quantity');
});

test('M-08 treats an empty list of items as absent, and refuses more than 100 items', async () => {
  expect(await request({ line_items: [] })).toBe('200');
  expect(await request({ line_items: [], tax_amount: 1000, shipping_amount: 250 })).toBe('200');
  const items = (count: number) => Array.from({ length: count }, () => item({ unit_amount: 10 }));
  expect(await request({ amount: 1000, line_items: items(100) })).toBe('200');
  expect(await request({ amount: 1010, line_items: items(101) })).toBe('400 INVALID_PARAMETER line_items');
  // A thousand and one exceed the size of a body.
  expect(await request({ amount: 10_010, line_items: items(1001) })).toBe('413 request_too_large body');
});

test('M-09 an item in another currency is refused; case makes no difference', async () => {
  for (const currency of ['EUR', 'USDT', 'XXX', ' USD']) {
    const line_items = [item({ unit_amount: 1000 }), item({ currency, unit_amount: 250 })];
    expect(await request({ line_items })).toBe('400 CURRENCY_MISMATCH line_items[1].price_data.currency');
  }
  for (const currency of ['usd', 'Usd']) expect(await request({ line_items: [item({ currency })] })).toBe('200');
});

test.each(['usd', 'USD', 'uSd', 'usdt', 'USDC'])('M-10 the currency %s', async (currency) => {
  const { json, ...answer } = await send({ currency });
  expect([outcome({ json, ...answer }), json.currency]).toEqual(['200', currency.toUpperCase()]);
});

test.each([
  ...[
    ' USD',
    'USD ',
    'US$',
    'XXX',
    'BTC',
    'U\u0405D',
    'USD\uff34',
    '\uff35\uff33\uff24',
    'XAU',
    'XTS',
    'DEM',
    '840',
    '',
    'US',
    'USDTT',
  ],
  ...['u\u017fd', 'USD\u200b', 'x'.repeat(11), 'ﬁx'],
])('M-10 the currency %j', async (currency) => {
  expect(await request({ currency })).toBe('400 INVALID_CURRENCY currency');
});

test.each([
  ['JPY', 100, 64],
  ['KWD', 1000, 326],
  ['EUR', 1000, 1154],
])('M-11 %s of %i minor units is %i cents by the right exponent', async (currency, amount, cents) => {
  expect((await send({ currency, amount })).json.target_amount_total).toBe(cents);
});

const CONVERSION = ['exchange_rate', 'rate_locked_at', 'target_amount_total', 'target_currency'];
const conversionOf = (json: object) => CONVERSION.filter((name) => name in json);

test.each(['USD', 'USDT', 'USDC', 'usd'])('M-12 no conversion fields in %s', async (currency) => {
  const { json } = await send({ currency });
  expect(conversionOf(json)).toEqual([]);
});

test('M-13 all conversion fields in EUR, recomputable in whole numbers', async () => {
  for (const amount of [1, 99, 1000, 123_457]) {
    const { json } = await send({ currency: 'EUR', amount });
    expect(conversionOf(json)).toEqual(CONVERSION);
    const rate = String(json.exchange_rate);
    expect(rate).toMatch(/^\d+\.\d+$/);
    const [whole = '', fraction = ''] = rate.split('.');
    const unit = 10n ** BigInt(fraction.length);
    const due = (BigInt(amount) * BigInt(whole + fraction) + unit - 1n) / unit;
    expect([BigInt(Number(json.target_amount_total)), due > 0n]).toEqual([due, true]);
  }
});

test('M-14 no price converts to zero, because it is rounded up to a cent', async () => {
  expect((await send({ currency: 'VND', amount: 1 })).json.target_amount_total).toBe(1);
});
