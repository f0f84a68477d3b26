// Where the specification can be read in two ways, the service answers so that both readers get what they expect
// (docs/api-decisions.md).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSessionId } from '@/lib/platform/ids';
import {
  ADAPTERS,
  draft,
  item,
  openContract,
  REFUNDS,
  SESSIONS,
  type Client,
  type Contract,
} from '@/testing/contract-client';
import { makePaidSession } from '@/testing/payments/paid-session';

const MISSING = `${SESSIONS}/${newSessionId('test')}`;
const CREATE = `${SESSIONS}/create`;
const DAY_SECONDS = 86_400;

let contract: Contract;
beforeAll(async () => {
  contract = await openContract();
});
afterAll(() => contract.close());

const paid = (cents: number) =>
  makePaidSession(contract.db, { storeId: contract.store.storeId, closedAt: contract.clock.now(), cents });

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
  });
  const read = (id: string) => merchant.get(`${SESSIONS}/${id}`);
  const cancel = (id: string) => merchant.post(`${SESSIONS}/${id}/cancel`, undefined);

  test('a session cannot be canceled from expires_at on, even before the service has closed it: 400 SESSION_EXPIRED', async () => {
    const { json } = await merchant.create({ expires_in: 60 });
    contract.clock.advance(60);
    const { status, json: refused } = await cancel(json.id);
    expect([status, refused.error.code]).toEqual([400, 'SESSION_EXPIRED']);
    expect((await read(json.id)).json).toMatchObject({ status: 'PENDING', expires_at: json.expires_at });
  });

  test('a canceled session is EXPIRED, and reading it returns canceled_at', async () => {
    const { json } = await merchant.create();
    contract.clock.advance(1);
    const expected = { payment_status: 'unpaid', status: 'EXPIRED' };
    expect((await cancel(json.id)).json).toMatchObject(expected);
    expect((await read(json.id)).json).toMatchObject({ ...expected, canceled_at: contract.now() });
  });

  test('an amount that is a JSON integer is minor units in the variant too', async () => {
    const { json } = await merchant.create({ mode: 'payment', amount: 1234 });
    expect(Object.keys(json)).toEqual(['base', 'session']);
    expect((await read(json.session.session_id)).json.amount_total).toBe(1234);
  });

  test('an amount that is a text needs a field of the variant: otherwise 400 INVALID_AMOUNT', async () => {
    for (const amount of ['1234', '12.34']) {
      const { status, json } = await merchant.create({ amount });
      expect([status, json.error.code, json.error.param]).toEqual([400, 'INVALID_AMOUNT', 'amount']);
    }
    const { json } = await merchant.create({ amount: '12.34' }, { headers: { 'Service-Version': '2026-11-22' } });
    expect((await read(json.session.session_id)).json.amount_total).toBe(1234);
  });

  test.each(['2001-01-01', '2026-11-22', '2099-12-31'])('Service-Version may be the date %s', async (version) => {
    const { status, headers } = await merchant.create({}, { headers: { 'Service-Version': version } });
    expect([status, headers['service-version']]).toEqual([200, expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)]);
  });

  test('null in an optional field counts as absent, and so does an empty list of items', async () => {
    const optional = [
      'description',
      'line_items',
      'tax_amount',
      'shipping_amount',
      'success_url',
      'cancel_url',
      'metadata',
    ];
    const { status, json } = await merchant.create(Object.fromEntries(optional.map((name) => [name, null])));
    expect([status, json.line_items, json.tax_amount, json.shipping_amount]).toEqual([
      200,
      undefined,
      undefined,
      undefined,
    ]);
    expect((await merchant.create({ line_items: [], tax_amount: 50 })).status).toBe(200);
    const refund = { session_id: await paid(300), refund_id: randomUUID(), amount: 1, currency: 'USDT' };
    const nulls = { reason: null, description: null, metadata: null };
    expect((await merchant.post(`${REFUNDS}/create`, { ...refund, ...nulls })).status).toBe(201);
  });

  test('line items are returned exactly as they were sent', async () => {
    const { price_data } = item(1000);
    const line_items = [{ price_data: { ...price_data, currency: 'usd' } }, item(125, { quantity: 2, sku: 'mug-2' })];
    const { json } = await merchant.create({ line_items });
    expect((await read(json.id)).json.line_items).toEqual(line_items);
    if (json.line_items !== undefined) expect(json.line_items).toEqual(line_items);
  });

  test('the answer to a new refund has the fields that the specification lists, and no others', async () => {
    const listed = ['refund_id', 'session_id', 'order_id', 'amount', 'currency', 'status', 'created_at'];
    const optional = { reason: 'duplicate', description: 'Charged twice', metadata: { ticket: 17 } };
    const refund = { session_id: await paid(300), refund_id: randomUUID(), amount: 1, currency: 'USDT', ...optional };
    const { json } = await merchant.post(`${REFUNDS}/create`, refund);
    expect(Object.keys(json).toSorted()).toEqual([...listed, ...Object.keys(optional)].toSorted());
  });

  test('a path with a trailing slash is the same path, without a redirect', async () => {
    const session = await merchant.post(`${CREATE}/`, draft());
    expect(session.status).toBe(200);
    expect((await merchant.get(`${SESSIONS}/${session.json.id}/`)).json.id).toBe(session.json.id);
    expect((await merchant.post(`${SESSIONS}/${session.json.id}/cancel/`, {})).status).toBe(200);
    const refund = { session_id: await paid(300), refund_id: randomUUID(), amount: 1, currency: 'USDT' };
    expect((await merchant.post(`${REFUNDS}/create/`, refund)).status).toBe(201);
    expect((await merchant.get(`${REFUNDS}/${refund.refund_id}/`)).status).toBe(200);
    expect((await merchant.post(`${REFUNDS}/${refund.refund_id}/cancel/`, {})).status).toBe(200);
  });

  test.each<[number, string, () => ReturnType<Client['get']>]>([
    [400, 'body', () => merchant.post(CREATE, '{')],
    [400, 'amount', () => merchant.create({ amount: 0 })],
    [401, 'Authorization', () => merchant.get(MISSING, { headers: { Authorization: null } })],
    [401, 'X-Service-Nonce', () => merchant.get(MISSING, { headers: { 'X-Service-Nonce': null } })],
    [401, 'X-Service-Signature', () => merchant.get(MISSING, { signed: 'another body' })],
    [403, 'refund_id', () => foreignRefund()],
    [404, 'session_id', () => merchant.get(MISSING)],
    [404, 'refund_id', () => merchant.get(`${REFUNDS}/missing`)],
    [413, 'body', () => merchant.create({ description: 'x'.repeat(70_000) })],
    [429, 'amount', () => tooMuch()],
  ])('an error %i is an invalid_request_error and names its param: %s', async (status, param, request) => {
    const answer = await request();
    expect([answer.status, answer.json.error.type, answer.json.error.param]).toEqual([
      status,
      'invalid_request_error',
      param,
    ]);
  });

  test('an error 5xx is an api_error', async () => {
    contract.clock.advance(300);
    const { status, json } = await merchant.create({ currency: 'EUR' });
    expect([status, json.error.type]).toEqual([503, 'api_error']);
    await contract.setRates('0.8');
  });

  test('above the daily refund limit, Retry-After states the seconds to midnight UTC', async () => {
    const { status, headers } = await tooMuch();
    const toMidnight = DAY_SECONDS - (contract.now() % DAY_SECONDS);
    expect([status, Number(headers['retry-after'])]).toEqual([429, toMidnight]);
  });

  const tooMuch = async () =>
    merchant.post(`${REFUNDS}/create`, {
      ...{ session_id: await paid(90_000_000), refund_id: randomUUID(), amount: 80_000_000, currency: 'USDT' },
    });
  const foreignRefund = async () => {
    const refund = { session_id: await paid(300), refund_id: randomUUID(), amount: 1, currency: 'USDT' };
    await merchant.post(`${REFUNDS}/create`, refund);
    return contract.client(adapter, contract.other).get(`${REFUNDS}/${refund.refund_id}`);
  };
});
