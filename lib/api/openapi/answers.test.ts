// The responses of the handlers match the OpenAPI document: no undescribed field, none missing.

import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answer } from '@/lib/api/answer';
import { findView } from '@/lib/api/operations/find-view';
import type { Services } from '@/lib/api/services';
import { sealSecret } from '@/lib/platform/crypto';
import type { FindVerdict } from '@/lib/payments/finder/verdict';
import type { ApiResponse } from '@/lib/platform/http';
import { canceledView, sessionView, type SessionFacts } from '@/lib/payments/sessions/view';
import { claimPurpose, refundText, type RefundFacts } from '@/lib/refunds/view';
import { openApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import { makeChain, signedRequest, TestClock, testConfig, type TestStore } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { openSettledSessions } from '@/testing/payments/settled-session';
import {
  optionalEventBody,
  PAYMENT_TYPES,
  paymentEventBody,
  payoutEventBody,
  REFUND_TYPES,
  refundEventBody,
} from '@/lib/webhooks/events/events';
import { openApiDocument } from './document';
import { eventSchemaName } from './events';
import type { JsonSchema } from './json-schema';
import { answerOpenApi } from './serve';

const SESSIONS = '/api/v1/checkout/sessions';
const REFUNDS = '/api/v1/refunds';
const EXCEPTIONS = '/api/v1/payment_exceptions';
const config = testConfig();
const clock = new TestClock();
const schemas = Object.entries(openApiDocument(config.PUBLIC_URL).components.schemas);
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(
  { components: { schemas: Object.fromEntries(schemas.map(([name, one]) => [name, closed(one)])) } },
  'closed',
);
let db: TestDatabase;
let services: Services;
let store: TestStore;

beforeAll(async () => {
  ({ db, services, store } = await openApi({ clock, config }));
});
afterAll(() => db.close());

/** The schema with every object closed, so that an undescribed field is an error. */
function closed(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, one]) => [name, closed(one)]);
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties), additionalProperties: false }),
    ...(schema.items && { items: closed(schema.items) }),
  };
}

function faults(name: string, value: unknown): string[] {
  const check = ajv.compile({ $ref: `closed#/components/schemas/${name}` });
  return check(JSON.parse(JSON.stringify(value)))
    ? []
    : (check.errors ?? []).map(
        ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
      );
}

const call = async (method: string, path: string, body?: object, query = ''): Promise<[number, unknown]> => {
  const text = body === undefined ? '' : JSON.stringify(body);
  const signed = signedRequest(store, { method, path, body: text, now: clock.now() });
  const response = await answer(services, { ...signed, query });
  return [response.status, JSON.parse(response.body)];
};

const ITEM = { price_data: { currency: 'usd', unit_amount: 500, product_data: { name: 'A', description: 'B' } } };

describe('the responses of the handlers', () => {
  test('to create, read and cancel', async () => {
    const plain = { amount: 1250, currency: 'USD', order_id: randomUUID() };
    const full = {
      ...plain,
      order_id: randomUUID(),
      line_items: [{ ...ITEM, quantity: 2 }],
      tax_amount: 50,
      shipping_amount: 200,
      metadata: { cart: '7' },
    };
    for (const body of [plain, full]) {
      const [status, made] = await call('POST', `${SESSIONS}/create`, body);
      expect([status, faults('PaymentSession', made)]).toEqual([200, []]);
      const path = `${SESSIONS}/${(made as { id: string }).id}`;
      expect(faults('ReadSession', (await call('GET', path))[1])).toEqual([]);
      expect(faults('CanceledSession', (await call('POST', `${path}/cancel`))[1])).toEqual([]);
    }
  });

  test('to the quick-start variant', async () => {
    const body = { mode: 'payment', amount: '12.50', currency: 'USD', order_id: randomUUID() };
    const [status, made] = await call('POST', `${SESSIONS}/create`, body);
    expect([status, faults('QuickStartSession', made)]).toEqual([200, []]);
    const { session_id } = (made as { session: { session_id: string } }).session;
    for (const end of ['', '/'])
      expect(faults('QuickStartSession', (await call('GET', `/v1/payment/sessions/${session_id}${end}`))[1])).toEqual(
        [],
      );
    const [refused, error] = await call('POST', `${SESSIONS}/create`, { mode: 'other' });
    expect([refused, faults('Error', error), error]).toMatchObject([400, [], { base: { code: 400 } }]);
  });

  test('to the listings', async () => {
    const [listed, sessions] = await call('GET', SESSIONS);
    const { data } = sessions as { data: unknown[] };
    expect([listed, data.length > 0, faults('SessionList', sessions)]).toEqual([200, true, []]);
    await untilTransactionsEnd(db);
    for (const query of ['', 'order=asc']) {
      const [status, events] = await call('GET', '/api/v1/events', undefined, query);
      const { data: bodies } = events as { data: unknown[] };
      expect([status, bodies.length > 0, faults('EventList', events)]).toEqual([200, true, []]);
    }
  });

  test('about refunds', async () => {
    const session_id = await makePaidSession(db, { storeId: store.storeId, closedAt: clock.now(), cents: 500 });
    const asked = { session_id, refund_id: 'a/b', amount: 100, currency: 'USDT', reason: 'duplicate' };
    const [status, made] = await call('POST', `${REFUNDS}/create`, {
      ...asked,
      description: 'd',
      metadata: { a: [1] },
    });
    expect([status, faults('CreatedRefund', made)]).toEqual([201, []]);
    expect(faults('Refund', (await call('GET', `${REFUNDS}/a%2Fb`))[1])).toEqual([]);
    const [listed, refunds] = await call('GET', REFUNDS);
    expect([listed, faults('RefundList', refunds)]).toEqual([200, []]);
    expect(faults('CanceledRefund', (await call('POST', `${REFUNDS}/a%2Fb/cancel`))[1])).toEqual([]);
  });

  test.each(['completed', 'failed', 'processing'] as const)('about a refund that is %s', (status) => {
    const facts: RefundFacts = {
      id: 're_1',
      refundId: 'r',
      sessionId: 'cs_live_4tKq0Zb7XnWc9LmVh2RyPs',
      orderId: 'o',
      amount: 100n,
      currency: 'USDC',
      network: 'bsc',
      status,
      reason: null,
      description: null,
      metadata: null,
      createdAt: clock.now(),
      processedAt: clock.now(),
      destination: null,
      hold: 'destination_needed',
      holdMessage: 'Send the link.',
      holdUntil: new Date(1_800_000_000_000),
      claimCiphertext: sealSecret(config.MASTER_KEYS, 'token', claimPurpose('re_1')),
      failureReason: 'It was refused.',
      transactionHash: '0x1',
      receiptNumber: 'rcp_9cTq2Zb7XnWk4LmVh0RyPs',
      costCharged: status === 'processing' ? null : 10n,
    };
    expect(faults('Refund', JSON.parse(refundText(facts, config, { showsClaimLink: true })))).toEqual([]);
  });

  test('about payments and payment exceptions', async () => {
    const world = openSettledSessions(db, clock, { ethereum: await makeChain(db, 'ethereum', 1_800_000_000) });
    const id = await world.make(store.storeId, 'expired');
    await world.transfer(id, { cents: 1250 });
    await world.settle(id);
    const [, session] = await call('GET', `${SESSIONS}/${id}`);
    const [payment] = (session as { payments: { exception_id: string }[] }).payments;
    expect([payment?.exception_id, faults('ReadSession', session)]).toEqual([expect.any(String), []]);
    const [listed, exceptions] = await call('GET', EXCEPTIONS);
    const { data } = exceptions as { data: unknown[] };
    expect([listed, faults('PaymentExceptionList', exceptions)]).toEqual([200, []]);
    expect(data.flatMap((one) => faults('PaymentException', one))).toEqual([]);
    const decision = { action: 'accept', note: 'In time for us.' };
    const [status, decided] = await call('POST', `${EXCEPTIONS}/${payment?.exception_id}/decide`, decision);
    expect([status, faults('PaymentException', decided)]).toEqual([200, []]);
  });

  test('to refused requests', async () => {
    const refused = [
      await call('GET', `${SESSIONS}/cs_test_nobody`),
      await call('POST', `${SESSIONS}/create`, { amount: '1' }),
      await call('GET', '/api/v1/nothing'),
      await call('GET', `${SESSIONS}/create`),
    ];
    for (const [status, body] of refused) expect([status >= 400, faults('Error', body)]).toEqual([true, []]);
  });

  test('about a converted session', () => {
    const facts: SessionFacts = {
      id: 'cs_live_4tKq0Zb7XnWc9LmVh2RyPs',
      orderId: 'a',
      status: 'completed',
      amountTotal: 1250n,
      amountDue: 1354n,
      currency: 'EUR',
      currencies: ['USDT'],
      exchangeRate: '1.0831',
      createdAt: clock.now(),
      expiresAt: clock.now(),
      lineItems: null,
      taxAmount: null,
      shippingAmount: null,
      metadata: null,
    };
    expect(faults('PaymentSession', sessionView(facts, config.PUBLIC_URL))).toEqual([]);
    expect(faults('CanceledSession', canceledView(facts, config.PUBLIC_URL))).toEqual([]);
  });

  test.each<FindVerdict>([
    { verdict: 'counted', network: 'bsc', currency: 'USDT', amount: '5.00', short: '1.00' },
    { verdict: 'waiting', network: 'bsc', currency: 'USDT', amount: '5.00', confirmations: 1, missing: 2, short: null },
    {
      verdict: 'too_late',
      network: 'bsc',
      currency: 'USDC',
      amount: '5.00',
      confirmations: null,
      missing: 0,
      decision: 'open',
    },
    { verdict: 'fake_token', network: 'bsc' },
    { verdict: 'not_found', asked: ['bsc'], unanswered: [] },
    { verdict: 'unreadable', looksLike: null },
  ])('to a finder request with the verdict $verdict', (result) => {
    const found = findView('cs_test_4tKq0Zb7XnWc9LmVh2RyPs', { transactionHash: '0x1', result });
    expect(faults('FoundPayment', found)).toEqual([]);
  });

  test('and an undescribed field is detected', () => {
    const found = findView('cs_test_4tKq0Zb7XnWc9LmVh2RyPs', {
      transactionHash: null,
      result: { verdict: 'fake_token', network: 'bsc' },
    });
    expect(faults('FoundPayment', { ...found, surprise: 1 })).toHaveLength(1);
  });
});

test.each(PAYMENT_TYPES)('the event %s is as described, full and bare', (type) => {
  const bare = {
    sessionId: 's',
    orderId: 'o',
    amountDue: 1250n,
    currency: 'USDC',
    exchangeRate: null,
    network: null,
    transactionHash: null,
    amountReceived: 0n,
  };
  const full = { ...bare, currency: 'USDT', exchangeRate: '1.08', network: 'bsc', transactionHash: '0x1' };
  for (const facts of [bare, full]) {
    const body = paymentEventBody(type, facts, { id: 'evt_1700000123456789012', now: clock.now() });
    expect(faults(eventSchemaName(type), JSON.parse(body))).toEqual([]);
  }
});

test.each(REFUND_TYPES)('the event %s is as described', (type) => {
  const isFailed = type === 'refund.failed';
  const facts = {
    ...{ sessionId: 's', orderId: 'o', refundId: 'r', amount: 1n, currency: 'USDT', network: 'bsc' },
    transactionHash: isFailed ? null : '0x1',
    failureReason: isFailed ? 'It was refused.' : null,
  };
  const body = refundEventBody(type, facts, { id: 'evt_1700000123456789012', now: clock.now() });
  expect(faults(eventSchemaName(type), JSON.parse(body))).toEqual([]);
});

test.each(['payout.paid', 'payout.failed'] as const)('the event %s is as described', (type) => {
  const end = {
    'payout.paid': { destination: '0x1', transactionHash: '0x2', failureReason: null },
    'payout.failed': { destination: null, transactionHash: null, failureReason: 'why' },
  }[type];
  const facts = { payoutId: 'p', amount: 100n, currency: 'USDT', network: 'bsc', description: null, ...end };
  const body = payoutEventBody(type, facts, { id: 'evt_1700000123456789012', now: clock.now() });
  expect(faults(eventSchemaName(type), JSON.parse(body))).toEqual([]);
});

test.each(['payment.seen', 'payment.partial', 'payment.exception'] as const)('the event %s is as described', (type) => {
  const facts = {
    ...{
      sessionId: 's',
      orderId: 'o',
      status: 'pending' as const,
      amountDue: 1250n,
      currency: 'USDT',
      exchangeRate: null,
    },
    ...{ network: 'bsc', transactionHash: '0x1', amountReceived: 0n, paymentAmount: 500n },
    exception: type === 'payment.exception' ? { id: '42', kind: 'late', amount: 500n } : null,
  };
  const body = optionalEventBody(type, facts, { id: 'evt_1700000123456789012', now: clock.now() });
  expect(faults(eventSchemaName(type), JSON.parse(body))).toEqual([]);
});

describe('GET /openapi.json', () => {
  const body = ({ body: text }: ApiResponse) => JSON.parse(text) as { openapi: string; servers: { url: string }[] };

  test('returns the document of this installation, the same text every time', async () => {
    const first = await answerOpenApi(services, '203.0.113.1');
    expect(first).toMatchObject({ status: 200, headers: { 'Cache-Control': 'public, max-age=300' } });
    expect(body(first)).toMatchObject({ openapi: '3.1.1', servers: [{ url: config.PUBLIC_URL }] });
    expect((await answerOpenApi(services, '203.0.113.2')).body).toBe(first.body);
  });

  test('counts against the rate of the public pages', async () => {
    const asked = Array.from({ length: config.PAGE_BURST + 1 }, () => answerOpenApi(services, '203.0.113.3'));
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1);
    expect(faults('Error', JSON.parse(answers.at(-1)?.body ?? ''))).toEqual([]);
  });
});
