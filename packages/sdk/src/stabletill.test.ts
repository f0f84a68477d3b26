// The client against the product itself, with its API behind a real HTTP server and a real database. Where that is not needed,
// the recorded requests are checked.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Services } from '@/lib/api/services';
import { openApi, serveApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import { makeChain, makeStore, TestClock, testConfig, type TestStore } from '@/testing/fixtures';
import { openSettledSessions } from '@/testing/payments/settled-session';
import type { OpenedServer } from '@/testing/server';
import { AuthenticationError, InvalidRequestError, NotFoundError } from './errors';
import { Stabletill } from './stabletill';
import type { WebhookEvent } from './webhook-event';

const sessionOf = ({ data: { object } }: WebhookEvent) => ('session_id' in object ? object.session_id : null);
/** What a read adds to a session without payments. */
const UNPAID = { amount_received: 0, amount_refundable: 0, refunded_amount: 0, payments: [] };

describe('against the product', () => {
  const config = testConfig();
  const clock = new TestClock();
  const now = () => clock.now().getTime();
  let db: TestDatabase;
  let services: Services;
  let store: TestStore;
  let server: OpenedServer;

  beforeAll(async () => {
    ({ db, services, store } = await openApi({ clock, config }));
    server = await serveApi(() => services);
  });
  afterAll(async () => {
    await server.close();
    await db.close();
  });

  const client = (over: object = {}) => {
    const { apiKey, apiSecret } = store;
    return new Stabletill({ apiKey, apiSecret, baseUrl: server.url, now, ...over });
  };
  const order = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });
  const failing = (call: Promise<unknown>) => call.catch((error: unknown) => error);

  test('a session is created, read and canceled', async () => {
    const { sessions } = client();
    const requested = order({ description: 'Ein Becher ☕', metadata: { table: '七' } });
    const session = await sessions.create(requested);
    expect(session).toMatchObject({ amount_total: 1250, currency: 'USD', payment_status: 'unpaid', status: 'PENDING' });
    expect(session.metadata).toEqual({ table: '七', order_id: requested.order_id });
    expect(await sessions.retrieve(session.id)).toEqual({ ...session, ...UNPAID });
    expect(await sessions.cancel(session.id)).toMatchObject({ id: session.id, status: 'EXPIRED' });
    const again = await failing(sessions.cancel(session.id));
    expect(again).toBeInstanceOf(InvalidRequestError);
    expect(again).toMatchObject({ code: 'SESSION_EXPIRED', status: 400, requestId: expect.stringMatching(/^req_/) });
  });

  test('a payment exception is found by its session, read and decided', async () => {
    const { sessions, paymentExceptions } = client();
    const world = openSettledSessions(db, clock, { ethereum: await makeChain(db, 'ethereum', 1_800_000_000) });
    const id = await world.make(store.storeId, 'expired');
    await world.transfer(id, { cents: 1250 });
    await world.settle(id);
    const [payment] = (await sessions.retrieve(id)).payments;
    const { data } = await paymentExceptions.list({ session_id: id, state: 'open' }).page();
    expect(data).toMatchObject([{ id: payment?.exception_id, kind: 'late', actions: ['accept', 'refund', 'leave'] }]);
    const exceptionId = payment?.exception_id ?? '';
    expect(await paymentExceptions.retrieve(exceptionId)).toEqual(data[0]);
    const decided = await paymentExceptions.decide(exceptionId, { action: 'accept', note: 'In time for us.' });
    expect(decided).toMatchObject({ state: 'accepted', decided_by: 'key', note: 'In time for us.' });
    expect(await sessions.retrieve(id)).toMatchObject({ status: 'COMPLETED', amount_refundable: 1250 });
    const unknown = await failing(paymentExceptions.decide('1234567', { action: 'leave' }));
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: 'CASE_NOT_FOUND', param: 'exception_id' });
  });

  test('a session is created once although the first answer was lost', async () => {
    let calls = 0;
    const losesFirst = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      if (++calls === 1) throw new TypeError('the connection broke');
      return response;
    };
    const requested = order();
    const session = await client({ fetch: losesFirst }).sessions.create(requested);
    expect([calls, session.metadata?.order_id]).toEqual([2, requested.order_id]);
    expect(await db.prisma.session.count({ where: { orderId: requested.order_id } })).toBe(1);
  });

  test('a caller’s idempotency key returns the first answer to a second call', async () => {
    const requested = order();
    const options = { idempotencyKey: `checkout ${requested.order_id}` };
    const session = await client().sessions.create(requested, options);
    expect(await client().sessions.create(requested, options)).toEqual(session);
    expect(await failing(client().sessions.create(requested))).toMatchObject({ code: 'DUPLICATE_ORDER_ID' });
    expect(await failing(client().sessions.create(order(), options))).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('the store’s sessions and events are listed over all pages', async () => {
    const own = await makeStore(db, config);
    const { sessions, events } = client({ apiKey: own.apiKey, apiSecret: own.apiSecret });
    const made = [];
    for (let n = 0; n < 3; n++) made.push((await sessions.create(order())).id);
    for (const id of made.slice(0, 2)) await sessions.cancel(id);
    const listed = [];
    for await (const { id } of sessions.list({ limit: 2 })) listed.push(id);
    expect(listed.toSorted()).toEqual(made.toSorted());
    const pending = await sessions.list({ status: 'PENDING', created_from: 1 }).page();
    expect(pending).toMatchObject({ data: [{ id: made[2] }], next_cursor: null });

    await untilTransactionsEnd(db);
    const seen = [];
    let cursor: string | undefined;
    for await (const page of events.list({ order: 'asc', limit: 1 }).pages()) {
      seen.push(...page.data.map((event) => [event.type, sessionOf(event)]));
      cursor = page.resume_cursor;
    }
    expect(seen).toEqual(made.slice(0, 2).map((id) => ['payment.cancelled', id]));
    await sessions.cancel(made[2] ?? '');
    await untilTransactionsEnd(db);
    const { data } = await events.list({ order: 'asc', cursor }).page();
    expect(data.map(sessionOf)).toEqual([made[2]]);
  });

  test('a refusal names the parameter and links to its documentation page', async () => {
    const error = await failing(client().sessions.create(order({ currency: 'ABC' })));
    expect(error).toMatchObject({ name: 'InvalidRequestError', code: 'INVALID_CURRENCY', param: 'currency' });
    expect(error).toMatchObject({ docUrl: expect.stringMatching(/\/docs\/errors\/INVALID_CURRENCY$/) });
  });

  test('an unknown session and a wrong secret have their own error classes', async () => {
    expect(await failing(client().sessions.retrieve('cs_test_none'))).toBeInstanceOf(NotFoundError);
    const wrong = await failing(client({ apiSecret: `${store.apiSecret}x` }).sessions.retrieve('cs_test_none'));
    expect(wrong).toBeInstanceOf(AuthenticationError);
    expect(wrong).toMatchObject({ code: 'invalid_signature', param: 'X-Service-Signature' });
  });
});

describe('with signature version 2, against the product', () => {
  // The key refuses version 1, so every successful call was signed with version 2.
  const clock = new TestClock();
  let db: TestDatabase;
  let server: OpenedServer;
  let client: (over?: object) => Stabletill;

  beforeAll(async () => {
    const api = await openApi({ clock });
    db = api.db;
    const { apiKey, apiSecret, keyId } = api.store;
    await db.prisma.apiKey.update({ where: { id: keyId }, data: { requiresSignatureV2: true } });
    server = await serveApi(() => api.services);
    const baseUrl = server.url;
    const now = () => clock.now().getTime();
    client = (over = {}) => new Stabletill({ apiKey, apiSecret, baseUrl, now, signatureVersion: 2, ...over });
  });
  afterAll(async () => {
    await server.close();
    await db.close();
  });
  const order = () => ({ amount: 1250, currency: 'USD', order_id: `Größe ${randomUUID()}` });

  test('sessions are created, read, listed with filters and canceled', async () => {
    const { sessions, events, quickStart } = client();
    const requested = order();
    const session = await sessions.create(requested);
    expect(await sessions.retrieve(session.id)).toEqual({ ...session, ...UNPAID });
    const { data } = await sessions.list({ order_id: requested.order_id, limit: 1 }).page();
    expect(data).toEqual([{ ...session, ...UNPAID }]);
    expect((await quickStart.retrieve(session.id)).session_id).toBe(session.id);
    expect(await sessions.cancel(session.id)).toMatchObject({ id: session.id, status: 'EXPIRED' });
    expect((await events.list({ order: 'asc' }).page()).next_cursor).toBeNull();
  });

  test('an id that needs encoding is signed as sent', async () => {
    const error = await client()
      .refunds.retrieve('r/ü 1')
      .catch((one: unknown) => one);
    expect(error).toMatchObject({ code: 'REFUND_NOT_FOUND', status: 404 });
  });

  test('a call with a lost answer is retried with a new nonce', async () => {
    let calls = 0;
    const losesFirst = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      if (++calls === 1) throw new TypeError('the connection broke');
      return response;
    };
    const requested = order();
    expect((await client({ fetch: losesFirst }).sessions.create(requested)).metadata?.order_id).toBe(
      requested.order_id,
    );
    expect(calls).toBe(2);
  });

  test('a version 1 client gets an error that explains what to do', async () => {
    const error = await client({ signatureVersion: 1 })
      .sessions.retrieve('cs_test_none')
      .catch((one: unknown) => one);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error).toMatchObject({ code: 'signature_version_required', message: expect.stringContaining('RFC 9421') });
  });
});

type RecordedCall = { method: string; path: string; body: unknown; idempotencyKey: string | null };

/** A client whose service returns these answers in turn, and the requests that it received. */
function recorded(...answers: object[]): { client: Stabletill; requested: RecordedCall[] } {
  const requested: RecordedCall[] = [];
  const answering = async (url: string, { method = '', headers, body }: RequestInit) => {
    const { pathname, search } = new URL(url);
    const idempotencyKey = new Headers(headers).get('idempotency-key');
    const sent: unknown = typeof body === 'string' && body !== '' ? JSON.parse(body) : null;
    requested.push({ method, path: pathname + search, body: sent, idempotencyKey });
    return Response.json(answers.shift() ?? {});
  };
  const keys = { apiKey: 'ak_test_1', apiSecret: 'as_test_1' };
  return { client: new Stabletill({ ...keys, baseUrl: 'https://pay.example.com', fetch: answering }), requested };
}

describe('by name', () => {
  test('refunds are created, read and canceled at the paths of the contract', async () => {
    const refund = { refund_id: 'r/1', session_id: 'cs_test_1', status: 'pending' };
    const { client, requested } = recorded(refund, refund, { refund_id: 'r/1', status: 'canceled', canceled_at: 1 });
    const params = { session_id: 'cs_test_1', refund_id: 'r/1', amount: 500, currency: 'USDT' } as const;
    expect(await client.refunds.create({ ...params, reason: undefined })).toEqual(refund);
    expect(await client.refunds.retrieve('r/1')).toEqual(refund);
    expect((await client.refunds.cancel('r/1')).canceled_at).toBe(1);
    expect(requested).toEqual([
      // The refund_id alone makes it one refund; no idempotency key is needed.
      { method: 'POST', path: '/api/v1/refunds/create', body: params, idempotencyKey: null },
      { method: 'GET', path: '/api/v1/refunds/r%2F1', body: null, idempotencyKey: null },
      { method: 'POST', path: '/api/v1/refunds/r%2F1/cancel', body: null, idempotencyKey: null },
    ]);
  });

  test('payouts are requested, read and canceled at their paths', async () => {
    const payout = { payout_id: 'p/1', status: 'pending' };
    const { client, requested } = recorded(payout, payout, { payout_id: 'p/1', status: 'canceled', canceled_at: 1 });
    const params = { payout_id: 'p/1', amount: 500, currency: 'USDT', network: 'tron' } as const;
    expect(await client.payouts.create(params)).toEqual(payout);
    expect(await client.payouts.retrieve('p/1')).toEqual(payout);
    expect((await client.payouts.cancel('p/1')).canceled_at).toBe(1);
    expect(requested).toEqual([
      { method: 'POST', path: '/api/v1/payouts/create', body: params, idempotencyKey: null },
      { method: 'GET', path: '/api/v1/payouts/p%2F1', body: null, idempotencyKey: null },
      { method: 'POST', path: '/api/v1/payouts/p%2F1/cancel', body: null, idempotencyKey: null },
    ]);
  });

  test('the quick start sends its mode and returns only the session', async () => {
    const session = { session_id: 'cs_test_1', url: 'https://pay.example.com/pay/cs_test_1' };
    const answer = { base: { code: 0, message: 'success' }, session };
    const { client, requested } = recorded(answer, answer);
    const payment_method_options = { crypto: { network: 'tron', currency: 'USDT' } } as const;
    const params = { amount: '12.50', currency: 'USD', order_id: 'o-1', payment_method_options };
    expect(await client.quickStart.create(params)).toEqual(session);
    expect(await client.quickStart.retrieve('cs_test_1')).toEqual(session);
    expect(requested).toMatchObject([
      { path: '/api/v1/checkout/sessions/create', body: { mode: 'payment', ...params } },
      { method: 'GET', path: '/v1/payment/sessions/cs_test_1/' },
    ]);
    expect(requested[0]?.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  test.each(['', '.', '..', undefined as unknown as string])(
    'an id %j, which would change the path, is refused',
    async (id) => {
      const { client, requested } = recorded();
      const calls = [client.sessions.retrieve, client.sessions.cancel].map((call) => call.bind(client.sessions));
      for (const call of [...calls, client.refunds.retrieve.bind(client.refunds)]) {
        await expect(call(id)).rejects.toThrow(TypeError);
      }
      expect(requested).toEqual([]);
    },
  );

  test.each(['', ' x', 'x\n', 'ü', 'x'.repeat(256)])('an idempotency key %j is refused', async (idempotencyKey) => {
    const { client, requested } = recorded();
    const params = { amount: 1, currency: 'USD', order_id: 'o-1' };
    await expect(client.sessions.create(params, { idempotencyKey })).rejects.toThrow(/idempotencyKey/);
    expect(requested).toEqual([]);
  });
});

describe('a listing', () => {
  const page = (ids: string[], next_cursor: string | null) => ({ data: ids.map((id) => ({ id })), next_cursor });

  test('is iterated over all its pages, each fetched when needed', async () => {
    const { client, requested } = recorded(page(['a', 'b'], 'c&1'), page([], 'c2'), page(['c'], null));
    const seen: [string, number][] = [];
    for await (const session of client.sessions.list({ limit: 2, status: undefined }))
      seen.push([session.id, requested.length]);
    expect(seen).toEqual([
      ['a', 1],
      ['b', 1],
      ['c', 3],
    ]);
    const path = '/api/v1/checkout/sessions?limit=2';
    expect(requested.map((one) => one.path)).toEqual([path, `${path}&cursor=c%261`, `${path}&cursor=c2`]);
  });

  test('returns one page, and continues from a stored cursor', async () => {
    const { client, requested } = recorded(page(['a'], 'c1'), page(['b'], null));
    const { next_cursor } = await client.events.list({ type: 'payment.completed' }).page();
    const pages = [];
    for await (const one of client.events.list({ cursor: next_cursor ?? '' }).pages()) pages.push(one);
    expect(pages).toEqual([page(['b'], null)]);
    expect(requested.map((one) => one.path)).toEqual([
      '/api/v1/events?type=payment.completed',
      '/api/v1/events?cursor=c1',
    ]);
  });

  test('of refunds can be filtered by session', async () => {
    const { client, requested } = recorded(page([], null));
    expect(await client.refunds.list({ session_id: 'cs_test_1' }).page()).toEqual(page([], null));
    expect(requested[0]?.path).toBe('/api/v1/refunds?session_id=cs_test_1');
  });

  test.each([[page(['a'], 'c1')], [{ data: [] }], [{ data: {}, next_cursor: null }], [{}]])(
    'with the answer %j after cursor c1 ends in an error, not in an endless loop',
    async (answer) => {
      const { client } = recorded(answer, answer, answer);
      const all = async () => {
        for await (const _ of client.sessions.list({ cursor: 'c1' }));
      };
      await expect(all()).rejects.toMatchObject({ name: 'ServerError', code: 'unexpected_answer' });
    },
  );
});
