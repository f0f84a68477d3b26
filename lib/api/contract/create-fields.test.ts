// Every row of the request table of POST /api/v1/checkout/sessions/create: what is required, what is optional, and of which type
// it is (docs/contract.md#4-endpoints).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADAPTERS, item, openContract, SESSIONS, type Client, type Contract } from '@/testing/contract-client';

let contract: Contract;
beforeAll(async () => {
  contract = await openContract();
});
afterAll(() => contract.close());

const PRICE = item(1250).price_data;
/** A create request with one line item, of which a part is replaced. */
const withItem = (over: object) => ({ line_items: [{ ...item(1250), ...over }] });
const withPrice = (over: object) => withItem({ price_data: { ...PRICE, ...over } });
const withProduct = (over: object) => withPrice({ product_data: { ...PRICE.product_data, ...over } });

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
  });
  const refusal = async (body: object) => {
    const { status, json } = await merchant.create(body);
    return [status, json.error?.code, json.error?.param];
  };

  test('the smallest request is amount, currency and order_id', async () => {
    expect((await merchant.create()).status).toBe(200);
  });

  test.each<[string, string, object]>([
    ['amount', 'INVALID_AMOUNT', { amount: undefined }],
    ['currency', 'INVALID_CURRENCY', { currency: undefined }],
    ['order_id', 'INVALID_PARAMETER', { order_id: undefined }],
    ['line_items[0].price_data', 'INVALID_PARAMETER', withItem({ price_data: undefined })],
    ['line_items[0].price_data.currency', 'INVALID_PARAMETER', withPrice({ currency: undefined })],
    ['line_items[0].price_data.unit_amount', 'INVALID_AMOUNT', withPrice({ unit_amount: undefined })],
    ['line_items[0].price_data.product_data', 'INVALID_PARAMETER', withPrice({ product_data: undefined })],
    ['line_items[0].price_data.product_data.name', 'INVALID_PARAMETER', withProduct({ name: undefined })],
  ])('%s is required', async (param, code, body) => {
    expect(await refusal(body)).toEqual([400, code, param]);
  });

  test.each<[string, object]>([
    ['description', { description: 'Two mugs' }],
    ['line_items', { line_items: [item(1250)] }],
    ['line_items[].price_data.product_data.description', withProduct({ description: undefined })],
    ['line_items[].quantity', { line_items: [item(625, { quantity: 2 })] }],
    ['tax_amount', { tax_amount: 200 }],
    ['shipping_amount', { shipping_amount: 50 }],
    ['success_url', { success_url: 'https://shop.example/paid?order=1' }],
    ['cancel_url', { cancel_url: 'https://shop.example/cart' }],
    ['metadata', { metadata: { cart: '7', channel: 'web' } }],
  ])('%s is optional', async (_, body) => {
    expect((await merchant.create(body)).status).toBe(200);
  });

  test.each<[string, string, object]>([
    ['amount', 'INVALID_AMOUNT', { amount: 12.5 }],
    ['currency', 'INVALID_CURRENCY', { currency: 840 }],
    ['order_id', 'INVALID_PARAMETER', { order_id: 7 }],
    ['description', 'INVALID_PARAMETER', { description: 7 }],
    ['line_items', 'INVALID_PARAMETER', { line_items: 'a mug' }],
    ['line_items[0].price_data', 'INVALID_PARAMETER', withItem({ price_data: 1250 })],
    ['line_items[0].price_data.currency', 'INVALID_PARAMETER', withPrice({ currency: 840 })],
    ['line_items[0].price_data.unit_amount', 'INVALID_AMOUNT', withPrice({ unit_amount: 12.5 })],
    ['line_items[0].price_data.product_data', 'INVALID_PARAMETER', withPrice({ product_data: 'Mug' })],
    ['line_items[0].price_data.product_data.name', 'INVALID_PARAMETER', withProduct({ name: 7 })],
    ['line_items[0].price_data.product_data.description', 'INVALID_PARAMETER', withProduct({ description: 7 })],
    ['line_items[0].quantity', 'INVALID_PARAMETER', withItem({ quantity: 'two' })],
    ['tax_amount', 'INVALID_AMOUNT', { tax_amount: 0.5 }],
    ['shipping_amount', 'INVALID_AMOUNT', { shipping_amount: true }],
    ['success_url', 'INVALID_PARAMETER', { success_url: '/paid' }],
    ['cancel_url', 'INVALID_PARAMETER', { cancel_url: 7 }],
    ['metadata', 'INVALID_PARAMETER', { metadata: ['a'] }],
  ])('%s of another type is refused', async (param, code, body) => {
    expect(await refusal(body)).toEqual([400, code, param]);
  });

  test('a quantity that is not given counts as 1', async () => {
    const { price_data } = item(1250);
    expect((await merchant.create({ line_items: [{ price_data }] })).status).toBe(200);
    expect(await refusal({ amount: 2500, line_items: [{ price_data }] })).toEqual([400, 'AMOUNT_MISMATCH', 'amount']);
  });

  test('the amount must equal the sum of line items, tax and shipping', async () => {
    const parts = { line_items: [item(400, { quantity: 2 }), item(200)], tax_amount: 200, shipping_amount: 50 };
    expect((await merchant.create({ amount: 1250, ...parts })).status).toBe(200);
    for (const amount of [1249, 1251])
      expect(await refusal({ amount, ...parts })).toEqual([400, 'AMOUNT_MISMATCH', 'amount']);
  });

  test('a line item must have the currency of the session', async () => {
    const param = 'line_items[0].price_data.currency';
    expect(await refusal(withPrice({ currency: 'USDT' }))).toEqual([400, 'CURRENCY_MISMATCH', param]);
    expect((await merchant.create(withPrice({ currency: 'usd' }))).status).toBe(200);
  });

  test('the amount is in the minimum precision of its currency: 1 is one cent of USD and one yen of JPY', async () => {
    const dollars = (await merchant.create({ amount: 1, currency: 'USD' })).json;
    const row = await contract.db.prisma.session.findUniqueOrThrow({ where: { id: dollars.id } });
    expect([dollars.amount_total, row.amountDue]).toEqual([1, 1n]);
    const yen = (await merchant.create({ amount: 160, currency: 'JPY' })).json;
    expect([yen.amount_total, yen.target_amount_total]).toEqual([160, 100]);
  });

  test.each(['USD', 'usd', 'USDT', 'USDC', 'EUR', 'eur', 'JPY'])('%s is a currency of an order', async (currency) => {
    const { status, json } = await merchant.create({ currency });
    expect([status, json.currency]).toEqual([200, currency.toUpperCase()]);
  });

  test('an order_id is used once', async () => {
    const order_id = randomUUID();
    expect((await merchant.create({ order_id })).status).toBe(200);
    expect(await refusal({ order_id })).toEqual([400, 'DUPLICATE_ORDER_ID', 'order_id']);
  });

  test('a session lives 30 minutes, or expires_in seconds from 60 to 3600', async () => {
    for (const [over, seconds] of [
      [{}, 1800] as const,
      [{ expires_in: 60 }, 60] as const,
      [{ expires_in: 3600 }, 3600] as const,
    ]) {
      const { json } = await merchant.create(over);
      expect(json.expires_at - json.created).toBe(seconds);
    }
    for (const expires_in of [59, 3601])
      expect(await refusal({ expires_in })).toEqual([400, 'INVALID_PARAMETER', 'expires_in']);
  });

  test('a request of a session needs the Content-Type application/json and answers JSON in UTF-8', async () => {
    const { status, headers, json } = await merchant.create({
      description: 'Größe 订单',
      metadata: { name: 'Größe 订单' },
    });
    expect([status, String(headers['content-type']).split(';')[0]]).toEqual([200, 'application/json']);
    expect(json.metadata.name).toBe('Größe 订单');
    const refused = await merchant.post(`${SESSIONS}/create`, '{}', { headers: { 'Content-Type': 'text/plain' } });
    expect(refused.json.error.code).toBe('unsupported_media_type');
  });
});
