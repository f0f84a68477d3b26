// The responses about refunds through the whole HTTP stack (docs/failure-model.md#refunds).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unixSeconds } from '@/lib/platform/clock';
import { intentIdOf } from '@/lib/refunds/request/intent';
import { makeStore, type TestStore } from '@/testing/fixtures';
import { openFrontServer, type AnsweredJson, type FrontServer, type Over } from '@/testing/front-server';
import { makePaidSession, type PaidSession } from '@/testing/payments/paid-session';

const REFUNDS = '/api/v1/refunds';
const PRICE = 300;
let front: FrontServer;
let other: TestStore;
let sessionId: string;

beforeAll(async () => {
  front = await openFrontServer();
  other = await makeStore(front.db, front.config);
  sessionId = await paid();
});
afterAll(() => front.close());

const paid = (over: Partial<PaidSession> = {}) =>
  makePaidSession(front.db, { storeId: front.store.storeId, closedAt: front.clock.now(), cents: PRICE, ...over });
const asked = (over: object = {}) => ({
  session_id: sessionId,
  refund_id: randomUUID(),
  amount: 100,
  currency: 'USDT',
  ...over,
});
const create = (over: object | string = {}, sent: Over = {}) =>
  front.send({ path: `${REFUNDS}/create`, body: typeof over === 'string' ? over : asked(over), ...sent });
const read = (refundId: string, store = front.store) =>
  front.send({ method: 'GET', path: `${REFUNDS}/${encodeURIComponent(refundId)}`, store });
const cancel = (refundId: string, store = front.store) =>
  front.send({ path: `${REFUNDS}/${encodeURIComponent(refundId)}/cancel`, body: '', store });
const rowOf = (refundId: string) =>
  front.db.prisma.refund.findFirstOrThrow({ where: { refundId, storeId: front.store.storeId } });
const refundedOf = async (id: string) =>
  Number((await front.db.prisma.session.findUniqueOrThrow({ where: { id } })).amountRefunded);
const refusal = ({ status, json }: { status: number; json: AnsweredJson }) => [
  status,
  json.error?.code,
  ...(json.error?.param === undefined ? [] : [json.error.param]),
];

test('a refund is pending and echoes the request; fields that are set later are absent', async () => {
  const id = await paid();
  const metadata = { ticket: 17, ratio: 0.5, tags: ['a', { b: null }] };
  const sent = { session_id: id, refund_id: randomUUID(), amount: 250, reason: 'duplicate', description: 'Zu klein' };
  const { status, json } = await create({ ...sent, currency: 'usdt', metadata });
  expect(status).toBe(201);
  const same = { ...sent, order_id: id, currency: 'USDT', status: 'pending', metadata };
  expect(json).toEqual({ ...same, created_at: unixSeconds(front.clock.now()) });
  expect((await read(sent.refund_id)).json).toEqual({ ...json, network: 'ethereum' });
  expect(await refundedOf(id)).toBe(250);
  const row = await rowOf(sent.refund_id);
  expect(row.id).toBe(intentIdOf({ ...front.store, environment: 'test', refundId: sent.refund_id }));
  const changes = await front.db.prisma.refundStatusChange.findMany({ where: { intentId: row.id } });
  expect(changes.map(({ move, from, to }) => [move, from, to])).toEqual([['create', null, 'pending']]);
});

test.each<[string, object, (string | number)[]]>([
  ['no session', { session_id: undefined }, [400, 'MISSING_CHARGE', 'session_id']],
  ['an empty session', { session_id: '' }, [400, 'MISSING_CHARGE', 'session_id']],
  ['a session that is null', { session_id: null }, [400, 'MISSING_CHARGE', 'session_id']],
  ['a session that is a number', { session_id: 7 }, [400, 'INVALID_PARAMETER', 'session_id']],
  ['neither session nor id', { session_id: undefined, refund_id: undefined }, [400, 'MISSING_CHARGE', 'session_id']],
  ['no id', { refund_id: undefined }, [400, 'MISSING_REFUND_ID', 'refund_id']],
  ['no id, and a wrong amount', { refund_id: null, amount: 0 }, [400, 'MISSING_REFUND_ID', 'refund_id']],
  ['an empty id', { refund_id: '' }, [400, 'MISSING_REFUND_ID', 'refund_id']],
  ['an id of 129 characters', { refund_id: 'r'.repeat(129) }, [400, 'INVALID_PARAMETER', 'refund_id']],
  ['an id with a line end', { refund_id: 'a\nb' }, [400, 'INVALID_PARAMETER', 'refund_id']],
  ['an id with space at its end', { refund_id: 'a ' }, [400, 'INVALID_PARAMETER', 'refund_id']],
  ['an id that no path can hold', { refund_id: '..' }, [400, 'INVALID_PARAMETER', 'refund_id']],
  ['an id that is a path of its own', { refund_id: 'create' }, [400, 'INVALID_PARAMETER', 'refund_id']],
  ['an amount of 0', { amount: 0 }, [400, 'INVALID_AMOUNT', 'amount']],
  ['an amount of -1', { amount: -1 }, [400, 'INVALID_AMOUNT', 'amount']],
  ['a fraction', { amount: 1.5 }, [400, 'INVALID_AMOUNT', 'amount']],
  ['an amount as text', { amount: '100' }, [400, 'INVALID_AMOUNT', 'amount']],
  ['no amount', { amount: undefined }, [400, 'INVALID_AMOUNT', 'amount']],
  ['a cent too much', { amount: PRICE + 1 }, [400, 'REFUND_AMOUNT_EXCEEDED', 'amount']],
  ['the largest amount', { amount: Number.MAX_SAFE_INTEGER }, [400, 'REFUND_AMOUNT_EXCEEDED', 'amount']],
  ['dollars', { currency: 'USD' }, [400, 'INVALID_CURRENCY', 'currency']],
  ['letters that become Latin', { currency: 'uſdt' }, [400, 'INVALID_CURRENCY', 'currency']],
  ['no currency', { currency: undefined }, [400, 'INVALID_CURRENCY', 'currency']],
  ['an unknown reason', { reason: 'other' }, [400, 'INVALID_PARAMETER', 'reason']],
  ['a reason in capitals', { reason: 'Duplicate' }, [400, 'INVALID_PARAMETER', 'reason']],
  ['a long description', { description: 'd'.repeat(1001) }, [400, 'INVALID_PARAMETER', 'description']],
  ['metadata as text', { metadata: 'a' }, [400, 'INVALID_PARAMETER', 'metadata']],
  ['metadata as a list', { metadata: ['a'] }, [400, 'INVALID_PARAMETER', 'metadata']],
  ['9 KiB of metadata', { metadata: { a: 'x'.repeat(8192) } }, [400, 'INVALID_PARAMETER', 'metadata']],
  [
    'a metadata key of 41',
    { metadata: { ['k'.repeat(41)]: 1 } },
    [400, 'INVALID_PARAMETER', 'metadata.' + 'k'.repeat(41)],
  ],
  [
    '51 metadata keys',
    { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])) },
    [400, 'INVALID_PARAMETER', 'metadata'],
  ],
  ['an unknown session', { session_id: 'cs_test_5555555555555555555555' }, [404, 'SESSION_NOT_FOUND', 'session_id']],
  ['a session id that is none', { session_id: "'; DROP TABLE x" }, [404, 'SESSION_NOT_FOUND', 'session_id']],
])('a refund with %s is refused', async (_, over, expected) => {
  expect(refusal(await create(over))).toEqual(expected);
});

test.each<[string, string, (string | number)[]]>([
  [
    'an exponent',
    '{"session_id":"s","refund_id":"r","amount":1e2,"currency":"USDT"}',
    [400, 'INVALID_AMOUNT', 'amount'],
  ],
  ['a duplicate key', '{"refund_id":"a","refund_id":"a"}', [400, 'INVALID_JSON', 'body']],
  ['__proto__', '{"metadata":{"__proto__":1}}', [400, 'INVALID_JSON', 'body']],
  ['17 levels', `{"metadata":${'{"a":'.repeat(17)}1${'}'.repeat(17)}}`, [400, 'INVALID_JSON', 'body']],
  ['a megabyte', `{"metadata":{"a":"${'x'.repeat(2 ** 20)}"}}`, [413, 'request_too_large', 'body']],
])('a body with %s is refused', async (_, body, expected) => {
  expect(refusal(await create(body))).toEqual(expected);
});

test('metadata is returned as it was sent, to the digit; a number that a reader could change is refused', async () => {
  const send = (metadata: string) =>
    create(JSON.stringify(asked({ amount: 1, metadata: 'M' })).replace('"M"', metadata));
  const exact = '{"z":1.10,"a":{"deep":[-0.0,1e-7,0.1234567890123456789012]},"text":"\\u00e9 \\"q\\""}';
  const { status, text } = await send(exact);
  expect(status).toBe(201);
  expect(text).toContain('"metadata":{"z":1.10,"a":{"deep":[-0.0,1e-7,0.1234567890123456789012]},"text":"é \\"q\\""}}');
  for (const number of ['12345678901234567890', '1e400', '9007199254740992']) {
    expect(refusal(await send(`{"n":[${number}]}`))).toEqual([400, 'INVALID_PARAMETER', 'metadata']);
  }
});

test('unknown fields are ignored and have no effect', async () => {
  const body = asked({
    status: 'completed',
    store_id: other.storeId,
    destination: '0xEvil',
    network: 'bsc',
    amount: 1,
  });
  expect((await create(body)).status).toBe(201);
  const { json } = await read(body.refund_id);
  expect([json.status, json.network, json.destination]).toEqual(['pending', 'ethereum', undefined]);
  expect((await rowOf(body.refund_id)).storeId).toBe(front.store.storeId);
});

test('ids differ by case, and not by the composition of their accents', async () => {
  const id = `Ré-${randomUUID()}`;
  const content = { session_id: await paid(), refund_id: id, amount: 10 };
  expect((await create(content)).status).toBe(201);
  expect((await create({ ...content, refund_id: id.toLowerCase() })).status).toBe(201);
  const decomposed = await create({ ...content, refund_id: id.normalize('NFD') });
  expect([decomposed.status, decomposed.json.refund_id]).toEqual([201, id]);
  expect((await read(id.normalize('NFD'))).json.refund_id).toBe(id);
  expect(await refundedOf(content.session_id)).toBe(20);
});

test.each(['a/b?c#d e%2F', '退款-✓', 'dots.', "'; DROP TABLE refunds; --", '{x}', '$ne', 'x'.repeat(128)])(
  'a refund called %s is found again by it',
  async (name) => {
    expect((await create({ session_id: await paid(), refund_id: name })).status).toBe(201);
    expect((await read(name)).json.refund_id).toBe(name);
    expect((await cancel(name)).status).toBe(200);
  },
);

test('the same request again returns the refund in its current state, whatever the order of its keys', async () => {
  const id = await paid();
  const body = asked({ session_id: id, amount: 200, reason: 'duplicate', metadata: { a: 1, b: { c: 2, d: [1.0] } } });
  const first = await create(body);
  const reordered = {
    ...Object.fromEntries(Object.entries(body).toReversed()),
    metadata: { b: { d: [1.0], c: 2 }, a: 1 },
  };
  for (const again of [body, reordered, { ...body, currency: 'uSdT' }]) {
    const { status, json } = await create(again);
    expect([status, json]).toEqual([201, first.json]);
  }
  await cancel(body.refund_id);
  expect((await create(body)).json).toEqual({ ...first.json, status: 'canceled' });
  expect(await refundedOf(id)).toBe(0);
});

test('a used id with other content is a conflict, and changes nothing', async () => {
  const body = asked({ session_id: await paid() });
  await create(body);
  const changes = [
    { amount: 101 },
    { session_id: sessionId },
    { currency: 'USDC' },
    { reason: 'fraudulent' },
    { description: 'x' },
    { metadata: { a: 1 } },
    { session_id: 'cs_test_5555555555555555555555' },
  ];
  for (const over of changes)
    expect(refusal(await create({ ...body, ...over }))).toEqual([400, 'REFUND_ID_CONFLICT', 'refund_id']);
  expect((await read(body.refund_id)).json).toMatchObject({ amount: 100, session_id: body.session_id });
});

test.each(['pending', 'expired', 'canceled', 'failed'] as const)(
  'a session that is %s cannot be refunded',
  async (status) => {
    expect(refusal(await create({ session_id: await paid({ status }) }))).toEqual([
      400,
      'INVALID_SESSION_STATUS',
      'session_id',
    ]);
  },
);

test('another store’s session is 403; one of the other environment does not exist', async () => {
  expect(refusal(await create({}, { store: other }))).toEqual([403, 'session_access_denied', 'session_id']);
  const live = await paid({ environment: 'live' });
  expect(refusal(await create({ session_id: live }))).toEqual([404, 'SESSION_NOT_FOUND', 'session_id']);
});

test('a refund of another store is 403, an unknown one is 404, and the own one wins', async () => {
  const name = randomUUID();
  expect(refusal(await read(name))).toEqual([404, 'REFUND_NOT_FOUND', 'refund_id']);
  expect(refusal(await cancel(name))).toEqual([404, 'REFUND_NOT_FOUND', 'refund_id']);
  await create({ refund_id: name, session_id: await paid() });
  expect(refusal(await read(name, other))).toEqual([403, 'FORBIDDEN', 'refund_id']);
  expect(refusal(await cancel(name, other))).toEqual([403, 'FORBIDDEN', 'refund_id']);
  const theirs = await paid({ storeId: other.storeId });
  const made = await create({ refund_id: name, session_id: theirs }, { store: other });
  expect([made.status, (await read(name, other)).json.session_id]).toEqual([201, theirs]);
  const live = await makeStore(front.db, front.config, 'live');
  expect(refusal(await read(name, live))).toEqual([404, 'REFUND_NOT_FOUND', 'refund_id']);
});

test.each([0x00, 0x0a, 0x9f, 0x202e])(
  'a name with the character %i, which no refund can have, is not found',
  async (code) => {
    const name = `a${String.fromCharCode(code)}b`;
    expect(refusal(await read(name))).toEqual([404, 'REFUND_NOT_FOUND', 'refund_id']);
    expect(refusal(await cancel(name))).toEqual([404, 'REFUND_NOT_FOUND', 'refund_id']);
  },
);

test('either token may be requested; one that is not paid out on the network is refused, and the error names the other', async () => {
  expect((await create({ session_id: await paid(), currency: 'USDC' })).json).toMatchObject({ currency: 'USDC' });
  const live = await makeStore(front.db, front.config, 'live');
  const onTron = await paid({ network: 'tron', environment: 'live', storeId: live.storeId });
  const refused = await create({ session_id: onTron, currency: 'USDC' }, { store: live });
  expect(refusal(refused)).toEqual([400, 'INVALID_CURRENCY', 'currency']);
  expect(refused.text).toContain('Refund it in USDT.');
  const body = asked({ session_id: onTron });
  expect((await create(body, { store: live })).json).toMatchObject({ currency: 'USDT' });
  expect((await front.db.prisma.refund.findFirstOrThrow({ where: { refundId: body.refund_id } })).network).toBe('tron');
});

test('an overpaid session is refundable up to its price', async () => {
  const id = await paid({ received: 400 });
  expect(refusal(await create({ session_id: id, amount: 301 }))).toEqual([400, 'REFUND_AMOUNT_EXCEEDED', 'amount']);
  expect((await create({ session_id: id, amount: 300 })).status).toBe(201);
});

test('a payment can be refunded in the last second of the store’s window, and not a second later', async () => {
  const closedAt = new Date(front.clock.now().getTime() - 180 * 86_400_000 + 999);
  const atEdge = await paid({ closedAt: new Date(Math.floor(closedAt.getTime() / 1000) * 1000) });
  expect((await create({ session_id: atEdge })).status).toBe(201);
  const late = await paid({ closedAt: new Date(front.clock.now().getTime() - 180 * 86_400_000 - 1000) });
  expect(refusal(await create({ session_id: late }))).toEqual([400, 'REFUND_TIME_EXPIRED', 'session_id']);
});

test('money that a store no longer has cannot be refunded', async () => {
  const poor = await makeStore(front.db, front.config);
  const id = await paid({ storeId: poor.storeId, received: 50 });
  const refused = await create({ session_id: id, amount: 51 }, { store: poor });
  expect(refusal(refused)).toEqual([400, 'INSUFFICIENT_BALANCE', 'amount']);
  expect(await refundedOf(id)).toBe(0);
  expect((await create({ session_id: id, amount: 50 }, { store: poor })).status).toBe(201);
});

test('the limit of a UTC day is exact, starts again the next day, and regains canceled amounts', async () => {
  const store = await makeStore(front.db, front.config);
  await front.db.pool.query('UPDATE stores SET refund_day_limit = 250 WHERE id = $1', [store.storeId]);
  const session_id = await paid({ storeId: store.storeId, cents: 10_000 });
  const call = (amount: number, refund_id: string = randomUUID()) =>
    create({ session_id, amount, refund_id }, { store });
  expect(refusal(await call(251))).toEqual([429, 'DAILY_REFUND_LIMIT_EXCEEDED', 'amount']);
  const name = randomUUID();
  expect((await call(200, name)).status).toBe(201);
  const refused = await call(51);
  expect(refusal(refused)).toEqual([429, 'DAILY_REFUND_LIMIT_EXCEEDED', 'amount']);
  const midnight = Math.ceil(unixSeconds(front.clock.now()) / 86_400) * 86_400;
  expect(Number(refused.headers['retry-after'])).toBe(midnight - unixSeconds(front.clock.now()));
  expect((await call(50)).status).toBe(201);
  await cancel(name, store);
  expect((await call(200)).status).toBe(201);
  front.clock.advance(86_400);
  expect((await call(250)).status).toBe(201);
  expect(await refundedOf(session_id)).toBe(500);
});

test('a key without the scope is refused; reading and writing are separate scopes', async () => {
  const reader = await makeStore(front.db, front.config);
  await front.db.pool.query(`UPDATE api_keys SET scopes = '{refunds:read}' WHERE id = $1`, [reader.keyId]);
  expect(refusal(await create({}, { store: reader }))).toEqual([403, 'insufficient_scope', 'Authorization']);
  expect(refusal(await cancel('x', reader))).toEqual([403, 'insufficient_scope', 'Authorization']);
  expect(refusal(await read('x', reader))).toEqual([404, 'REFUND_NOT_FOUND', 'refund_id']);
  const seller = await makeStore(front.db, front.config);
  await front.db.pool.query(`UPDATE api_keys SET scopes = '{sessions:read}' WHERE id = $1`, [seller.keyId]);
  expect(refusal(await read('x', seller))).toEqual([403, 'insufficient_scope', 'Authorization']);
  expect(refusal(await front.send({ method: 'GET', path: REFUNDS, store: seller }))).toEqual([
    403,
    'insufficient_scope',
    'Authorization',
  ]);
});

test('a nonce is spent once, whatever the refund request', async () => {
  const nonce = randomUUID();
  const body = asked({ session_id: await paid() });
  expect((await create(body, { nonce })).status).toBe(201);
  expect(refusal(await create(body, { nonce }))).toEqual([401, 'nonce_reused', 'X-Service-Nonce']);
  expect(refusal(await front.send({ method: 'GET', path: `${REFUNDS}/x`, nonce }))).toEqual([
    401,
    'nonce_reused',
    'X-Service-Nonce',
  ]);
});

test.each([
  ['PUT', `${REFUNDS}/create`, 'POST'],
  ['GET', `${REFUNDS}/create`, 'POST'],
  ['DELETE', `${REFUNDS}/x`, 'GET'],
  ['GET', `${REFUNDS}/x/cancel`, 'POST'],
  ['POST', REFUNDS, 'GET'],
])('%s %s is 405 and names %s', async (method, path, allow) => {
  const { status, headers } = await front.send({ method, path, body: method === 'POST' ? '{}' : '' });
  expect([status, headers.allow]).toEqual([405, allow]);
});
