// The variant request shape of the quick-start flow: its extra fields, its answer, its path and its header
// (docs/api-decisions.md#quick-start-variant).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newSessionId } from '@/lib/platform/ids';
import { ADAPTERS, openContract, SESSIONS, type Client, type Contract } from '@/testing/contract-client';

const crypto = (over: object) => ({ payment_method_options: { crypto: over } });

let contract: Contract;
beforeAll(async () => {
  contract = await openContract();
});
afterAll(() => contract.close());

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
  });
  const create = (over: object = {}) => merchant.create({ amount: '12.50', mode: 'payment', ...over });
  const rowOf = (id: string) => contract.db.prisma.session.findUniqueOrThrow({ where: { id } });

  test('the variant returns base and session with exactly the fields of the specification', async () => {
    const order_id = randomUUID();
    const { status, json } = await create({ order_id });
    expect(status).toBe(200);
    expect(json).toEqual({
      base: { code: 0, message: expect.any(String) },
      session: {
        session_id: expect.stringMatching(/^\S+$/),
        order_id,
        payment_status: 'unpaid',
        created: contract.now(),
        status: 'PENDING',
        url: expect.stringMatching(/^https?:\/\/\S+\/pay\/\S+$/),
        created_at: contract.now(),
        expires_at: contract.now() + 1800,
      },
    });
  });

  test.each<[string, object]>([
    ['mode', { mode: 'payment' }],
    ['payment_method_types', { mode: undefined, payment_method_types: ['crypto'] }],
    ['payment_method_options.crypto.network', { mode: undefined, ...crypto({ network: 'tron' }) }],
    ['payment_method_options.crypto.currency', { mode: undefined, ...crypto({ currency: 'USDT' }) }],
    ['expires_in', { expires_in: 600 }],
  ])('the variant accepts the field %s', async (_, over) => {
    const { status, json } = await create(over);
    expect([status, json.base?.code]).toEqual([200, 0]);
  });

  test.each<[string, string, object]>([
    ['mode', 'mode', { mode: 'subscription' }],
    ['payment_method_types', 'payment_method_types[0]', { payment_method_types: ['card'] }],
    ['payment_method_options.crypto.network', 'payment_method_options.crypto.network', crypto({ network: 'bitcoin' })],
    ['payment_method_options.crypto.currency', 'payment_method_options.crypto.currency', crypto({ currency: 'DAI' })],
    ['expires_in', 'expires_in', { expires_in: 3601 }],
  ])('the variant refuses another value of %s', async (_, param, over) => {
    const { status, json } = await create(over);
    expect([status, json.error.code, json.error.param]).toEqual([400, 'INVALID_PARAMETER', param]);
    expect(json.base).toEqual({ code: 400, message: json.error.message });
  });

  test('network and currency of the variant fix what the customer pays with', async () => {
    for (const network of ['tron', 'ethereum', 'bsc', 'solana']) {
      const { json } = await create(crypto({ network, currency: 'USDT' }));
      expect(await rowOf(json.session.session_id)).toMatchObject({ networks: [network], currencies: ['USDT'] });
    }
  });

  test('an amount of the variant may be a decimal string in major units', async () => {
    const { json } = await create({ amount: '12.50' });
    expect((await merchant.get(`${SESSIONS}/${json.session.session_id}`)).json.amount_total).toBe(1250);
  });

  test.each(['/', ''])('/v1/payment/sessions/{session_id}%s answers the variant shape', async (end) => {
    const { json } = await create();
    const read = await merchant.get(`/v1/payment/sessions/${json.session.session_id}${end}`);
    expect([read.status, read.json]).toEqual([200, json]);
    const missing = await merchant.get(`/v1/payment/sessions/${newSessionId('test')}${end}`);
    expect([missing.status, missing.json.error.code]).toEqual([404, 'SESSION_NOT_FOUND']);
  });

  test('Service-Version is an optional header with a date, and the response names the version that was applied', async () => {
    for (const headers of [{}, { 'Service-Version': '2025-01-31' }]) {
      const { status, headers: answered } = await merchant.create({}, { headers });
      expect([status, answered['service-version']]).toEqual([200, expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)]);
    }
    const { status, json } = await merchant.create({}, { headers: { 'Service-Version': '31.01.2025' } });
    expect([status, json.error.code]).toEqual([400, 'INVALID_VERSION']);
  });

  test('the path prefix carries the major version: nothing is at /api/v2', async () => {
    expect((await merchant.post('/api/v2/checkout/sessions/create', {})).status).toBe(404);
  });
});
