// The specification's PaymentSession and its three endpoints, as a merchant's server sees them
// (docs/contract.md#4-endpoints).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADAPTERS, item, openContract, SESSIONS, type Client, type Contract } from '@/testing/contract-client';
import { openSettledSessions } from '@/testing/payments/settled-session';

const UNKNOWN = `cs_test_${'3'.repeat(22)}`;
const CONVERSION = ['exchange_rate', 'target_currency', 'target_amount_total', 'rate_locked_at'];
const ALL = { line_items: [item(1000)], tax_amount: 200, shipping_amount: 50, metadata: { cart: '7' } };

let contract: Contract;
beforeAll(async () => {
  contract = await openContract();
});
afterAll(() => contract.close());

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  let stranger: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
    stranger = contract.client(adapter, contract.other);
  });
  const read = (id: string) => merchant.get(`${SESSIONS}/${id}`);
  const cancel = (id: string) => merchant.post(`${SESSIONS}/${id}/cancel`, {});

  test.each<[string, unknown]>([
    ['id', expect.stringMatching(/^\S+$/)],
    ['amount_total', 1250],
    ['currency', 'USD'],
    ['payment_status', 'unpaid'],
    ['created', expect.any(Number)],
    ['expires_at', expect.any(Number)],
    ['url', expect.stringMatching(/^https?:\/\/\S+\/pay\/\S+$/)],
    ['line_items', [expect.objectContaining({ quantity: 1, price_data: expect.any(Object) })]],
    ['tax_amount', 200],
    ['shipping_amount', 50],
    ['metadata', expect.objectContaining({ cart: '7' })],
  ])('a session has the field %s with the type of the specification', async (field, expected) => {
    const created = await merchant.create(ALL);
    expect([created.status, created.json[field]]).toEqual([200, expected]);
    expect((await read(created.json.id)).json[field]).toEqual(created.json[field]);
  });

  test('times are Unix seconds', async () => {
    const { json } = await merchant.create();
    expect([json.created, json.expires_at]).toEqual([contract.now(), contract.now() + 1800]);
  });

  test('a session without optional fields has none of them', async () => {
    const { json } = await merchant.create();
    for (const field of ['line_items', 'tax_amount', 'shipping_amount', ...CONVERSION])
      expect(json).not.toHaveProperty(field);
  });

  test('metadata contains the order_id of the request', async () => {
    const order_id = randomUUID();
    const { json } = await merchant.create({ order_id, metadata: { cart: '7' } });
    expect(json.metadata).toEqual({ cart: '7', order_id });
    expect((await merchant.create({ order_id: `${order_id}-b` })).json.metadata).toEqual({ order_id: `${order_id}-b` });
  });

  test.each(['USD', 'USDT', 'USDC', 'usd'])(
    'a session in %s has none of the four conversion fields',
    async (currency) => {
      const { status, json } = await merchant.create({ currency });
      expect([status, json.currency.toUpperCase()]).toEqual([200, currency.toUpperCase()]);
      for (const answer of [json, (await read(json.id)).json]) {
        for (const field of CONVERSION) expect(answer).not.toHaveProperty(field);
      }
    },
  );

  test('a session in another currency has the four conversion fields, and they stay the same when the market moves', async () => {
    await contract.setRates('0.8');
    const { json } = await merchant.create({ currency: 'EUR', amount: 1000 });
    expect(json).toMatchObject({ target_currency: 'USDT', target_amount_total: 1250, rate_locked_at: json.created });
    expect(json.exchange_rate).toMatch(/^\d+(\.\d+)?$/);
    expect(Number(json.exchange_rate)).toBe(1.25);
    await contract.setRates('0.5');
    contract.clock.advance(5);
    const later = (await read(json.id)).json;
    for (const field of CONVERSION) expect(later[field]).toEqual(json[field]);
    await contract.setRates('0.8');
  });

  test('without an exchange rate a session that needs one is refused with 503', async () => {
    contract.clock.advance(300);
    const { status, json } = await merchant.create({ currency: 'EUR' });
    expect([status, json.error.code]).toEqual([503, 'EXCHANGE_RATE_UNAVAILABLE']);
    await contract.setRates('0.8');
  });

  test('creating assigns new deposit addresses and opens a page at the url', async () => {
    const [one, two] = [await merchant.create(), await merchant.create()];
    const row = (id: string) => contract.db.prisma.session.findUniqueOrThrow({ where: { id } });
    const [first, second] = [await row(one.json.id), await row(two.json.id)];
    for (const column of ['evmAddress', 'tronAddress', 'solanaAddress'] as const) {
      expect(first[column]).not.toBe('');
      expect(first[column]).not.toBe(second[column]);
    }
    expect(one.json.url).not.toBe(two.json.url);
  });

  test('a session is unpaid and PENDING, and paid and COMPLETED once its payment is confirmed', async () => {
    const sessions = openSettledSessions(contract.db, contract.clock, contract.chains);
    const { json } = await merchant.create({ currency: 'USDT', expires_in: 3600 });
    expect([json.payment_status, json.status]).toEqual(['unpaid', 'PENDING']);
    await sessions.transfer(json.id, { cents: 1250, time: contract.now() });
    await sessions.settle(json.id);
    const paid = (await read(json.id)).json;
    expect([paid.payment_status, paid.status]).toEqual(['paid', 'COMPLETED']);
  });

  test.each([
    ['expired', 'EXPIRED'],
    ['failed', 'FAILED'],
  ] as const)('a session that has %s is unpaid and reads %s', async (status, shown) => {
    const sessions = openSettledSessions(contract.db, contract.clock, contract.chains);
    const { json } = await read(await sessions.make(contract.store.storeId, status));
    expect([json.payment_status, json.status]).toEqual(['unpaid', shown]);
  });

  test('cancelling returns 200 with the documented part of the session', async () => {
    const { json } = await merchant.create({ ...ALL, currency: 'USD' });
    const canceled = await cancel(json.id);
    expect(canceled.status).toBe(200);
    const { id, amount_total, currency, payment_status, created, url, tax_amount, shipping_amount } = json;
    expect(canceled.json).toMatchObject({ id, amount_total, currency, payment_status, created, url });
    expect(canceled.json).toMatchObject({ tax_amount, shipping_amount });
    for (const field of ['line_items', 'metadata']) expect(canceled.json).not.toHaveProperty(field);
  });

  test('cancelling returns the conversion fields of a converted session', async () => {
    const { json } = await merchant.create({ currency: 'EUR' });
    const canceled = (await cancel(json.id)).json;
    for (const field of CONVERSION) expect([field, canceled[field]]).toEqual([field, json[field]]);
  });

  test('cancelling expires the session at once', async () => {
    const { json } = await merchant.create();
    contract.clock.advance(10);
    expect((await cancel(json.id)).json.expires_at).toBe(contract.now());
    const later = (await read(json.id)).json;
    expect([later.payment_status, later.expires_at]).toEqual(['unpaid', contract.now()]);
    expect((await cancel(json.id)).status).toBe(400);
  });

  test('a session that has expired cannot be canceled: 400', async () => {
    const sessions = openSettledSessions(contract.db, contract.clock, contract.chains);
    const id = await sessions.make(contract.store.storeId, 'expired');
    expect((await cancel(id)).status).toBe(400);
  });

  test.each([
    ['GET', ''],
    ['POST', '/cancel'],
  ])('%s of a session%s answers 404 when it is missing or belongs to another store', async (method, end) => {
    const { json } = await stranger.create();
    for (const id of [UNKNOWN, json.id as string]) {
      const path = `${SESSIONS}/${id}${end}`;
      const { status, json: body } = method === 'GET' ? await merchant.get(path) : await merchant.post(path, {});
      expect([status, body.error.code]).toEqual([404, 'SESSION_NOT_FOUND']);
    }
  });

  test.each([
    ['GET', `${SESSIONS}/${UNKNOWN}`],
    ['GET', `/v1/payment/sessions/${UNKNOWN}/`],
    ['POST', `${SESSIONS}/create`],
    ['POST', `${SESSIONS}/${UNKNOWN}/cancel`],
    ['GET', '/api/v1/refunds/r-1'],
    ['POST', '/api/v1/refunds/create'],
    ['POST', '/api/v1/refunds/r-1/cancel'],
  ])('%s %s answers 401 when authentication fails', async (method, path) => {
    const change = { store: { ...contract.store, apiSecret: contract.other.apiSecret } };
    const { status } = method === 'GET' ? await merchant.get(path, change) : await merchant.post(path, {}, change);
    expect(status).toBe(401);
  });

  test.each([
    ['GET', `${SESSIONS}/${UNKNOWN}`],
    ['GET', '/api/v1/refunds/r-1'],
  ])('%s %s needs no body and no Content-Type', async (_, path) => {
    expect((await merchant.get(path, { headers: { 'Content-Type': null } })).status).toBe(404);
  });

  test.each([
    ['GET', `${SESSIONS}/${UNKNOWN}`],
    ['GET', '/api/v1/refunds/r-1'],
    ['POST', `${SESSIONS}/create`],
    ['POST', '/api/v1/refunds/create'],
  ])('%s %s answers 400 for a request that is wrong', async (method, path) => {
    // A reading request has no body: the version header is the part of it that can be wrong.
    const change = { headers: { 'Service-Version': 'yesterday' } };
    const { status } = method === 'GET' ? await merchant.get(path, change) : await merchant.post(path, {});
    expect(status).toBe(400);
  });
});
