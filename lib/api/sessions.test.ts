import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import { transaction } from '@/lib/platform/database/db';
import { silentLog } from '@/testing/chain-clock';
import { addPayment } from '@/testing/payments/payment-row';
import { answer } from './answer';
import { openServices, type Services } from './services';

const CREATE = '/api/v1/checkout/sessions/create';
const config = testConfig();
const clock = new TestClock();
let db: TestDatabase;
let services: Services;
let one: TestStore;
let two: TestStore;

beforeAll(async () => {
  ({ db, services } = await openApi({ clock, config, networks: ['ethereum', 'bsc', 'tron'], addresses: 0 }));
});
afterAll(() => db.close());
beforeEach(async () => {
  [one, two] = [await makeStore(db, config), await makeStore(db, config)];
  await makeAddresses(db, 40);
});

const draft = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });
type Change = Parameters<typeof signedRequest>[1];
const post = (path: string, body: unknown, change: Partial<Change> = {}, store = one) =>
  answer(
    services,
    signedRequest(store, {
      path,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      now: clock.now(),
      ...change,
    }),
  );
const get = (id: string, change: Partial<Change> = {}, store = one) =>
  answer(
    services,
    signedRequest(store, { method: 'GET', path: `/api/v1/checkout/sessions/${id}`, now: clock.now(), ...change }),
  );

describe('creating a session', () => {
  test('takes one address of the pool and keeps it permanently', async () => {
    const before = await db.prisma.addressPoolEntry.count();
    const made = json(await post(CREATE, draft()));
    expect(made).toMatchObject({ amount_total: 1250, currency: 'USD', payment_status: 'unpaid', status: 'PENDING' });
    expect(await db.prisma.addressPoolEntry.count()).toBe(before - 1);
    const row = await db.prisma.session.findUniqueOrThrow({ where: { id: made.id } });
    expect(row).toMatchObject({ amountDue: 1250n, networks: ['bsc', 'ethereum'], currencies: ['USDT', 'USDC'] });
    expect(await db.prisma.addressPoolEntry.findFirst({ where: { addressIndex: row.addressIndex } })).toBeNull();
  });

  test('concurrently never shares an address', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(CREATE, draft())));
    const ids = answers.map((response) => json(response).id);
    const rows = await db.prisma.session.findMany({ where: { id: { in: ids } } });
    expect(new Set(rows.map(({ evmAddress }) => evmAddress)).size).toBe(20);
  });

  test('twice with one order id makes one, also at the same moment', async () => {
    const body = draft();
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(CREATE, body)));
    expect(answers.map(codeOf).filter(([status]) => status === 200)).toHaveLength(1);
    expect(answers.map(codeOf).filter(([, code]) => code === 'DUPLICATE_ORDER_ID')).toHaveLength(7);
  });

  test('refused for its order id returns its address to the pool, and spends its nonce', async () => {
    const body = draft();
    await post(CREATE, body);
    const before = await db.prisma.addressPoolEntry.count();
    const nonce = randomUUID();
    expect(codeOf(await post(CREATE, body, { nonce }))).toEqual([400, 'DUPLICATE_ORDER_ID']);
    expect(await db.prisma.addressPoolEntry.count()).toBe(before);
    expect(codeOf(await post(CREATE, draft(), { nonce }))).toEqual([401, 'nonce_reused']);
  });

  test('offers the networks that the store takes payments on, and refuses what none of them can be paid in', async () => {
    await db.prisma.store.update({ where: { id: one.storeId }, data: { networks: ['bsc'] } });
    const { id } = json(await post(CREATE, draft()));
    expect((await db.prisma.session.findUniqueOrThrow({ where: { id } })).networks).toEqual(['bsc']);
    // The other store selected none, which means all.
    const theirs = json(await post(CREATE, draft(), {}, two));
    const row = await db.prisma.session.findUniqueOrThrow({ where: { id: theirs.id } });
    expect(row.networks).toEqual(['bsc', 'ethereum']);
    await db.prisma.store.update({ where: { id: two.storeId }, data: { networks: ['solana'] } });
    const fresh = openServices(testContext(db, clock, config));
    const body = JSON.stringify(draft({ currency: 'USDC' }));
    const refused = await answer(fresh, signedRequest(two, { path: CREATE, body, now: clock.now() }));
    expect([codeOf(refused), json(refused).error.param]).toEqual([[400, 'INVALID_CURRENCY'], 'currency']);
  });

  test('without an address left is refused and can be retried', async () => {
    await db.prisma.addressPoolEntry.deleteMany();
    const body = draft();
    const refused = await post(CREATE, body);
    expect([codeOf(refused), refused.headers['Retry-After']]).toEqual([[503, 'SERVICE_UNAVAILABLE'], '1']);
    await makeAddresses(db, 1);
    expect((await post(CREATE, body)).status).toBe(200);
  });
});

describe('a repeated Idempotency-Key', () => {
  test('gets the first response again, byte for byte, also when both arrive at once', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = draft();
    const answers = await Promise.all(Array.from({ length: 6 }, () => post(CREATE, body, { headers })));
    expect(new Set(answers.map((response) => response.body)).size).toBe(1);
    expect(answers[0]?.status).toBe(200);
  });

  test('with another request is refused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await post(CREATE, draft(), { headers });
    expect(codeOf(await post(CREATE, draft(), { headers }))).toEqual([400, 'IDEMPOTENCY_KEY_REUSED']);
  });

  test('of another store has no effect', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const [a, b] = [await post(CREATE, draft(), { headers }), await post(CREATE, draft(), { headers }, two)];
    expect([a.status, b.status]).toEqual([200, 200]);
  });
});

test('a key records the time of its last signed request', async () => {
  await get('cs_test_none');
  const used = () => db.prisma.apiKey.findUniqueOrThrow({ where: { id: one.keyId } });
  await expect.poll(async () => (await used()).lastUsedAt).toEqual(clock.now());
  await get('cs_test_none', { headers: { 'x-service-signature': 'f'.repeat(64) } }, two);
  expect((await db.prisma.apiKey.findUniqueOrThrow({ where: { id: two.keyId } })).lastUsedAt).toBeNull();
});

describe('a nonce', () => {
  test('is accepted once, however many copies arrive at once', async () => {
    const request = signedRequest(one, {
      method: 'GET',
      path: `/api/v1/checkout/sessions/cs_test_${'0'.repeat(22)}`,
      now: clock.now(),
    });
    const answers = await Promise.all(Array.from({ length: 20 }, () => answer(services, request)));
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(19);
  });

  test('is spent by every refusal of a correctly signed request, and never refuses that request itself', async () => {
    const { id } = json(await post(CREATE, draft()));
    const path = `/api/v1/checkout/sessions/${id}`;
    const refused: readonly [string, (nonce: string) => ReturnType<typeof get>][] = [
      ['INVALID_AMOUNT', (nonce) => post(CREATE, draft({ amount: -1 }), { nonce })],
      ['INVALID_JSON', (nonce) => post(CREATE, '{', { nonce })],
      ['SESSION_NOT_FOUND', (nonce) => post(`${path}0/cancel`, undefined, { nonce })],
      [
        'unsupported_media_type',
        (nonce) => post(CREATE, draft(), { nonce, headers: { 'content-type': 'text/plain' } }),
      ],
      ['MISSING_CHARGE', (nonce) => post('/api/v1/refunds/create', {}, { nonce })],
    ];
    for (const [code, call] of refused) {
      const nonce = randomUUID();
      expect(codeOf(await call(nonce))[1]).toBe(code);
      expect(codeOf(await call(nonce))).toEqual([401, 'nonce_reused']);
      expect(codeOf(await post(`${path}/cancel`, undefined, { nonce }))).toEqual([401, 'nonce_reused']);
    }
    expect((await get(id)).status).toBe(200);
  });

  test('is not spent by a wrong signature', async () => {
    const { id } = json(await post(CREATE, draft()));
    const nonce = randomUUID();
    expect(codeOf(await get(id, { nonce, headers: { 'x-service-signature': 'f'.repeat(64) } }))).toEqual([
      401,
      'invalid_signature',
    ]);
    expect((await get(id, { nonce })).status).toBe(200);
  });
});

describe('a key', () => {
  test('that was revoked has no effect from that moment on, though it was just used', async () => {
    expect((await post(CREATE, draft())).status).toBe(200);
    await db.prisma.apiKey.update({ where: { id: one.keyId }, data: { revokedAt: clock.now() } });
    expect(codeOf(await post(CREATE, draft()))).toEqual([401, 'invalid_api_key']);
  });

  test('of a suspended store is refused', async () => {
    await db.prisma.store.update({ where: { id: one.storeId }, data: { status: 'suspended' } });
    expect(codeOf(await post(CREATE, draft()))).toEqual([403, 'store_not_active']);
  });

  test('without the scope is refused, with it accepted', async () => {
    await db.prisma.apiKey.update({ where: { id: one.keyId }, data: { scopes: ['sessions:read'] } });
    expect(codeOf(await post(CREATE, draft()))).toEqual([403, 'insufficient_scope']);
    expect(codeOf(await get(`cs_test_${'0'.repeat(22)}`))).toEqual([404, 'SESSION_NOT_FOUND']);
  });

  test('limited to other addresses is refused as if unknown', async () => {
    await db.prisma.apiKey.update({ where: { id: one.keyId }, data: { allowedAddresses: ['198.51.100.0/24'] } });
    expect(codeOf(await post(CREATE, draft()))).toEqual([401, 'invalid_api_key']);
    await db.prisma.apiKey.update({ where: { id: two.keyId }, data: { allowedAddresses: ['203.0.113.9'] } });
    expect((await post(CREATE, draft(), {}, two)).status).toBe(200);
  });

  test('of the live environment never sees a test session', async () => {
    const { id } = json(await post(CREATE, draft()));
    const live = await makeStore(db, config, 'live');
    await db.prisma.apiKey.update({ where: { id: live.keyId }, data: { storeId: one.storeId } });
    expect(codeOf(await get(id, {}, live))).toEqual([404, 'SESSION_NOT_FOUND']);
  });
});

describe('cancelling', () => {
  const cancel = (id: string, store = one) => post(`/api/v1/checkout/sessions/${id}/cancel`, '', {}, store);

  test('moves the expiry to now, once, and records one event', async () => {
    const { id } = json(await post(CREATE, draft()));
    clock.advance(10);
    const answers = await Promise.all([cancel(id), cancel(id), cancel(id)]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400]);
    const now = clock.now().getTime() / 1000;
    expect(json(await get(id))).toMatchObject({ status: 'EXPIRED', expires_at: now, canceled_at: now });
    expect(await db.prisma.event.findMany({ where: { objectId: id } })).toMatchObject([{ type: 'payment.cancelled' }]);
    expect(await db.prisma.sessionStatusChange.count({ where: { sessionId: id } })).toBe(1);
  });

  test('is refused after the expiry, also while the session still waits for chain time, and moves nothing', async () => {
    const { id, expires_at: expiresAt } = json(await post(CREATE, draft({ expires_in: 60 })));
    for (const seconds of [60, 0, 3600]) {
      clock.advance(seconds);
      expect(codeOf(await cancel(id))).toEqual([400, 'SESSION_EXPIRED']);
    }
    expect(json(await get(id))).toMatchObject({ status: 'PENDING', expires_at: expiresAt });
  });

  test('names the settlement token in its event where several tokens are offered', async () => {
    await db.prisma.store.update({ where: { id: one.storeId }, data: { settlementCurrency: 'USDC' } });
    const { id } = json(await post(CREATE, draft({ currency: 'USD' })));
    await cancel(id);
    await db.prisma.store.update({ where: { id: one.storeId }, data: { settlementCurrency: 'USDT' } });
    const { body } = await db.prisma.event.findFirstOrThrow({ where: { objectId: id } });
    expect(JSON.parse(body).data.object).toMatchObject({ currency: 'USDC', amount: 1250 });
  });

  test.each(['unconfirmed_transfers', 'transfers'] as const)(
    'is refused once a payment was seen on the chain (%s)',
    async (table) => {
      const { id } = json(await post(CREATE, draft()));
      await addPayment(db, id, { table, time: clock.now().getTime() / 1000 });
      expect(codeOf(await cancel(id))).toEqual([400, 'PAYMENT_IN_PROGRESS']);
    },
  );

  test('leaves dust counted for nothing, also when it is a cent together', async () => {
    const { id } = json(await post(CREATE, draft({ currency: 'USDT' })));
    const time = clock.now().getTime() / 1000;
    for (const amount of [6000, 6001]) await addPayment(db, id, { table: 'transfers', time, amount });
    await transaction(db.pool, (tx) => settleSessions(tx, [id], { now: clock.now(), log: silentLog() }));
    expect((await db.prisma.session.findUniqueOrThrow({ where: { id } })).amountReceived).toBe(1n);
    expect((await cancel(id)).status).toBe(200);
    const { amountReceived, exception } = await db.prisma.session.findUniqueOrThrow({ where: { id } });
    expect([amountReceived, exception]).toEqual([0n, 'none']);
  });

  test.each([
    ['of less than a cent', { amount: 9999 }],
    ['on a network that is not offered', { network: 'tron', contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }],
    ['in a token that is not offered', { currency: 'USDC', contract: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' }],
    ['that is older than the session', { time: clock.now().getTime() / 1000 - 3600 }],
  ])('is not refused for a payment %s', async (_, payment) => {
    for (const table of ['unconfirmed_transfers', 'transfers'] as const) {
      const { id } = json(await post(CREATE, draft({ currency: 'USDT' })));
      await addPayment(db, id, { table, time: clock.now().getTime() / 1000, ...payment });
      expect((await cancel(id)).status).toBe(200);
    }
  });

  test("of another store's session finds nothing", async () => {
    const { id } = json(await post(CREATE, draft()));
    expect(codeOf(await cancel(id, two))).toEqual([404, 'SESSION_NOT_FOUND']);
  });
});

test('an unexpected error is returned as internal_error and nothing more', async () => {
  const broken: Services = { ...services, findKey: () => Promise.reject(new Error('SELECT secret FROM prisma')) };
  const response = await answer(broken, signedRequest(one, { path: CREATE, body: '{}', now: clock.now() }));
  expect(codeOf(response)).toEqual([500, 'internal_error']);
  expect(response.body).not.toContain('prisma');
});

test('an unreachable database is returned as 503 with Retry-After', async () => {
  const broken: Services = {
    ...services,
    findKey: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
  };
  const response = await answer(broken, signedRequest(one, { path: CREATE, body: '{}', now: clock.now() }));
  expect([codeOf(response), response.headers['Retry-After']]).toEqual([[503, 'SERVICE_UNAVAILABLE'], '2']);
});

test('a connection that the database closes during a transaction is returned as 503: the same request may succeed later', async () => {
  const broken: Services = {
    ...services,
    findKey: () =>
      transaction(db.pool, async (tx) => {
        const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        const closed = new Promise((resolve) => (tx as unknown as pg.Client).once('end', resolve));
        await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
        await closed;
        await tx.query('SELECT 1');
        return null;
      }),
  };
  const response = await answer(broken, signedRequest(one, { path: CREATE, body: '{}', now: clock.now() }));
  expect([codeOf(response), response.headers['Retry-After']]).toEqual([[503, 'SERVICE_UNAVAILABLE'], '2']);
});

test.each([
  ['25006', 'takes no writes'],
  ['25P03', 'ended a transaction that was idle for too long'],
  ['53100', 'has no space left on its disk'],
  ['40001', 'refuses a transaction that lost every race'],
  ['58030', 'cannot read its files'],
])('a database that answers %s, as it %s, is returned as 503: the same request may succeed later', async (code) => {
  const broken: Services = { ...services, findKey: () => Promise.reject(Object.assign(new Error('no'), { code })) };
  const response = await answer(broken, signedRequest(one, { path: CREATE, body: '{}', now: clock.now() }));
  expect([codeOf(response), response.headers['Retry-After']]).toEqual([[503, 'SERVICE_UNAVAILABLE'], '2']);
});
