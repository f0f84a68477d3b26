// Rows S-01 to S-13 of docs/failure-model.md#authentication: invalid signing headers.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newApiKey } from '@/lib/platform/ids';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { makeStore, type TestStore } from '@/testing/fixtures';
import {
  openFrontServer,
  outcome,
  raw,
  SESSIONS,
  statuses,
  wire,
  type FrontServer,
  type Over,
} from '@/testing/front-server';

let front: FrontServer;
beforeAll(async () => {
  front = await openFrontServer();
});
afterAll(() => front.close());

const call = async (over: Over = {}) => outcome(await front.send(over));
const now = () => Math.floor(front.clock.now().getTime() / 1000);
/** Text in the Latin-1 encoding of header values, byte by byte. */
const bytesOf = (text: string) => Buffer.from(text).toString('latin1');

test.each<[string, string | string[] | null]>([
  ['none', null],
  ['empty', ''],
  ['Basic', `Basic ${Buffer.from('a:b').toString('base64')}`],
  ['Bearer without a value', 'Bearer'],
  ['two', ['Bearer one', 'Bearer two']],
])('S-01 Authorization: %s', async (_, authorization) => {
  expect(await call({ headers: { authorization } })).toBe('401 invalid_api_key Authorization');
});

test('S-02 an unknown key, and one with one character changed', async () => {
  const { apiKey } = front.store;
  const changed = `${apiKey.slice(0, -1)}${apiKey.endsWith('x') ? 'y' : 'x'}`;
  for (const key of [newApiKey('test'), changed, apiKey.toUpperCase(), `${apiKey}%20`]) {
    expect(await call({ headers: { authorization: `Bearer ${key}` } })).toBe('401 invalid_api_key Authorization');
  }
});

test('S-02 a key with CR or NUL is invalid HTTP; a space after it is not part of its value (RFC 9110)', async () => {
  for (const end of ['\r', '\0', '\rX: 1']) {
    const asked = front.asked({ headers: { authorization: `Bearer ${front.store.apiKey}${end}` } });
    expect(statuses(await raw(front.port, wire(asked)))).toEqual([400]);
  }
  expect(await call({ headers: { authorization: `Bearer ${front.store.apiKey} ` } })).toBe('200');
});

test.each(['bearer', 'BEARER', 'bEaReR'])('S-03 the scheme %s', async (scheme) => {
  expect(await call({ headers: { authorization: `${scheme} ${front.store.apiKey}` } })).toBe('200');
});

const change = (sql: string, values: unknown[]) => front.db.pool.query(sql, values);

/** The expected log for each. The store is read again when the key is no longer cached. */
const INVALID = ['401 invalid_api_key Authorization'];

test.each<[string, (one: TestStore) => Promise<unknown>, string[]?]>([
  ['revoked', (one) => change('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [one.keyId])],
  ['expired', (one) => change('UPDATE api_keys SET expires_at = now() WHERE id = $1', [one.keyId])],
  [
    'past its overlap',
    (one) => change(`UPDATE api_keys SET expires_at = now() - interval '1 s' WHERE id = $1`, [one.keyId]),
  ],
  [
    'of a suspended store',
    (one) => change(`UPDATE stores SET status = 'suspended' WHERE id = $1`, [one.storeId]),
    [...INVALID, '403 store_not_active Authorization'],
  ],
])(
  'S-04 a key that is %s stops at once on every replica, though each had just used it',
  async (_, end, said = INVALID) => {
    const store = await makeStore(front.db, front.config);
    const ports = [front.port, (await front.replica()).port];
    for (const port of ports) expect(outcome(await front.send({ store }, port))).toBe('200');
    await end(store);
    for (const port of ports) expect(said).toContain(outcome(await front.send({ store }, port)));
  },
);

test.each([
  ['live', 'pending', '403 store_not_active Authorization'],
  ['live', 'rejected', '403 store_not_active Authorization'],
  ['live', 'suspended', '403 store_not_active Authorization'],
  ['test', 'pending', '200'],
  ['test', 'rejected', '200'],
  ['test', 'suspended', '403 store_not_active Authorization'],
] as const)(
  'S-04 the %s key of a store that is %s answers %s from the first request on',
  async (environment, status, said) => {
    const store = await makeStore(front.db, front.config, environment);
    const path = `${SESSIONS}/cs_${environment}_${'0'.repeat(22)}`;
    const read = async () => outcome(await front.send({ store, method: 'GET', path }));
    expect(await read()).toBe('404 SESSION_NOT_FOUND session_id');
    await forceStoreStatus(front.db.pool, store.storeId, status);
    expect(await read()).toBe(said === '200' ? '404 SESSION_NOT_FOUND session_id' : said);
    if (said === '200') expect(await call({ store })).toBe('200');
  },
);

test("S-05 one store's key with another one's secret", async () => {
  const other = await makeStore(front.db, front.config);
  const store = { ...front.store, apiSecret: other.apiSecret };
  expect(await call({ store })).toBe('401 invalid_signature X-Service-Signature');
});

test('S-06 a key of one environment sees nothing of the other, not even of its own store', async () => {
  const live = await makeStore(front.db, front.config, 'live');
  const { json } = await front.send();
  await change('UPDATE api_keys SET store_id = $2 WHERE id = $1', [live.keyId, front.store.storeId]);
  const read = (store: TestStore, id: string) => front.send({ store, method: 'GET', path: `${SESSIONS}/${id}` });
  const [crossed, missing] = [await read(live, String(json.id)), await read(live, `cs_live_${'0'.repeat(22)}`)];
  expect([outcome(crossed), outcome(missing)]).toEqual(Array(2).fill('404 SESSION_NOT_FOUND session_id'));
  expect(outcome(await read(front.store, String(json.id)))).toBe('200');
});

test('S-07 a key in the query or a cookie does not authenticate and is not logged', async () => {
  const { apiKey } = front.store;
  const written: unknown[] = [];
  const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;
  const spies = levels.map((level) =>
    vi.spyOn(front.services.log, level).mockImplementation((...said) => void written.push(said)),
  );
  const places: Over[] = [
    { path: `${SESSIONS}/create?api_key=${apiKey}&Authorization=Bearer%20${apiKey}` },
    { headers: { cookie: `api_key=${apiKey}; Authorization=${apiKey}` } },
    { headers: { 'x-api-key': apiKey } },
  ];
  for (const place of places) {
    const answer = await front.send({ ...place, headers: { ...place.headers, authorization: null } });
    expect(outcome(answer)).toBe('401 invalid_api_key Authorization');
    expect(answer.text).not.toContain(apiKey);
  }
  expect(JSON.stringify(written)).not.toContain(apiKey);
  for (const spy of spies) spy.mockRestore();
});

test('S-08 a timestamp that is missing or empty', async () => {
  for (const value of [null, '']) {
    const headers = { 'x-service-timestamp': value };
    expect(await call({ headers })).toBe('401 missing_header X-Service-Timestamp');
  }
});

test.each([
  ...[
    'abc',
    '1800000000abc',
    '+1800000000',
    '1e9',
    '1.8e9',
    '0x6b49d200',
    '-1800000000',
    '-800000000',
    '180000000',
    '1800000000.0',
  ],
  ...['1'.repeat(30), '1800000000,1800000000', '1800 00000', bytesOf('١٨٠٠٠٠٠٠٠٠'), bytesOf('１８００００００００')],
])('S-08 a timestamp %j', async (timestamp) => {
  expect(await call({ timestamp })).toBe('401 invalid_timestamp X-Service-Timestamp');
});

test('S-08 a space before the timestamp is not part of its value (RFC 9110)', async () => {
  expect(await call({ headers: { 'x-service-timestamp': ` ${now()}` } })).toBe('200');
});

test('S-09 a timestamp in milliseconds: not ten digits', async () => {
  expect(await call({ timestamp: `${now()}000` })).toBe('401 invalid_timestamp X-Service-Timestamp');
});

test.each([-300, 300])('S-10 a timestamp %i seconds away', async (away) => {
  expect(await call({ timestamp: String(now() + away) })).toBe('200');
});

test.each([-301, 301, -100_000, 100_000])('S-11 a timestamp %i seconds away', async (away) => {
  expect(await call({ timestamp: String(now() + away) })).toBe('401 timestamp_out_of_range X-Service-Timestamp');
});

test.each([null, ''])('S-12 a nonce that is %j', async (value) => {
  expect(await call({ headers: { 'x-service-nonce': value } })).toBe('401 missing_header X-Service-Nonce');
});

test.each(['a{b', '[', 'a b', 'a\tb', 'x'.repeat(256), bytesOf('é'), bytesOf('a\u200bb'), 'é', '\u00a0'])(
  'S-12 a nonce %j, correctly signed',
  async (nonce) => {
    // The signed bytes are the header's text as it was read, in which every character is one byte on the wire.
    expect(await call({ nonce })).toMatch(/^401 invalid_nonce X-Service-Nonce$/);
  },
);

test.each(['0.1795334007284', '1795334007284.000', 'a.b', '.', '}', ']'])('S-12 a nonce may be %j', async (text) => {
  const nonce = text.padEnd(text.length + 8, randomUUID());
  expect(await call({ nonce })).toBe('200');
});

test.each([7, 129, 255])('S-12 a nonce of %i visible ASCII characters is one', async (length) => {
  expect(await call({ nonce: `,~${randomUUID().repeat(8)}`.slice(0, length) })).toBe('200');
});

test('S-12 a line break in a nonce is invalid HTTP', async () => {
  for (const nonce of ['a\nb', 'a\rb', 'a\r\nb']) {
    expect(statuses(await raw(front.port, wire(front.asked({ nonce }))))).toEqual([400]);
  }
});

test('S-13 the same request once more', async () => {
  const over = { nonce: randomUUID(), body: { amount: 1, currency: 'USD', order_id: randomUUID() } };
  expect([await call(over), await call(over)]).toEqual(['200', '401 nonce_reused X-Service-Nonce']);
});
