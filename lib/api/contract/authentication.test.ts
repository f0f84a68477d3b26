// The specification's Authentication: five headers, one sign string, three checks of the service (docs/contract.md#5-authentication).

import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeAddresses, makeChain, makeStore, type TestStore } from '@/testing/fixtures';
import {
  ADAPTERS,
  draft,
  openContract,
  REFUNDS,
  SESSIONS,
  signatureBySpec,
  type Change,
  type Client,
  type Contract,
} from '@/testing/contract-client';

const ENDPOINTS = [
  ['POST', `${SESSIONS}/create`],
  ['GET', `${SESSIONS}/cs_test_${'3'.repeat(22)}`],
  ['POST', `${SESSIONS}/cs_test_${'3'.repeat(22)}/cancel`],
  ['GET', `/v1/payment/sessions/cs_test_${'3'.repeat(22)}/`],
  ['POST', `${REFUNDS}/create`],
  ['GET', `${REFUNDS}/r-1`],
  ['POST', `${REFUNDS}/r-1/cancel`],
] as const;

let contract: Contract;
beforeAll(async () => {
  contract = await openContract({ LIVE_BSC_URLS: 'http://127.0.0.1:1' });
  await makeChain(contract.db, 'bsc', contract.now(), 'live');
  await makeAddresses(contract.db, 10, 'live');
});
afterAll(() => contract.close());

test('the sign string is timestamp, nonce and body with dots between them, and the signature is its hexadecimal HMAC-SHA256', () => {
  const [secret, timestamp, nonce, body] = ['as_test_secret', '1800000000', 'n-1', '{"amount":1250}'];
  const signString = timestamp + '.' + nonce + '.' + body;
  expect(signString).toBe('1800000000.n-1.{"amount":1250}');
  const expected = createHmac('sha256', secret).update(signString).digest('hex');
  expect(signatureBySpec(secret, timestamp, nonce, body)).toBe(expected);
  expect(expected).toMatch(/^[0-9a-f]{64}$/);
});

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
  });
  const call = async (method: string, path: string, change: Change = {}) => {
    const body = path.endsWith('/create') ? draft() : {};
    const { status, json } =
      method === 'GET' ? await merchant.get(path, change) : await merchant.post(path, body, change);
    return [status, json.error?.code];
  };
  const create = (change: Change) => call('POST', `${SESSIONS}/create`, change);

  test('a request with the signature of the specification is accepted', async () => {
    expect((await merchant.create()).status).toBe(200);
  });

  test.each(
    ENDPOINTS.flatMap(([method, path]) =>
      ['Authorization', 'X-Service-Timestamp', 'X-Service-Nonce', 'X-Service-Signature'].map(
        (name) => [method, path, name] as const,
      ),
    ),
  )('%s %s without %s is refused with 401', async (method, path, name) => {
    const [status, code] = await call(method, path, { headers: { [name]: null } });
    expect([status, code]).toEqual([401, name === 'Authorization' ? 'invalid_api_key' : 'missing_header']);
  });

  test.each(['ak_test_nobody', ''])('the key %j is refused with 401 invalid_api_key', async (apiKey) => {
    expect(await create({ store: { ...contract.store, apiKey } })).toEqual([401, 'invalid_api_key']);
  });

  test('the key is a Bearer token and nothing else', async () => {
    const basic = { headers: { Authorization: `Basic ${contract.store.apiKey}` } };
    expect(await create(basic)).toEqual([401, 'invalid_api_key']);
  });

  test('live and test keys exist, and each works in its own environment', async () => {
    const live: TestStore = await makeStore(contract.db, contract.config, 'live');
    expect([contract.store.apiKey, live.apiKey].map((key) => key.slice(0, 8))).toEqual(['ak_test_', 'ak_live_']);
    const client = contract.client(adapter, live);
    const { status, json } = await client.create();
    expect([status, String(json.id).slice(0, 8)]).toEqual([200, 'cs_live_']);
    expect((await merchant.get(`${SESSIONS}/${json.id}`)).status).toBe(404);
  });

  test.each([-300, 300])('a timestamp %i seconds away is accepted', async (seconds) => {
    expect((await merchant.create({}, { timestamp: String(contract.now() + seconds) })).status).toBe(200);
  });

  test.each([-301, 301])('a timestamp %i seconds away is refused with 401', async (seconds) => {
    const expected = [401, 'timestamp_out_of_range'];
    expect(await create({ timestamp: String(contract.now() + seconds) })).toEqual(expected);
  });

  test('a timestamp that is not Unix seconds is refused with 401', async () => {
    for (const timestamp of [`${contract.now()}000`, new Date().toISOString(), 'now']) {
      expect(await create({ timestamp })).toEqual([401, 'invalid_timestamp']);
    }
  });

  test('a nonce that was used before is refused with 401, whatever else the request says', async () => {
    const nonce = randomUUID();
    expect((await merchant.create({}, { nonce })).status).toBe(200);
    expect(await create({ nonce })).toEqual([401, 'nonce_reused']);
    contract.clock.advance(1);
    expect(await create({ nonce })).toEqual([401, 'nonce_reused']);
  });

  test('a nonce is any random string; a UUID is one', async () => {
    for (const nonce of [randomUUID(), randomUUID().replaceAll('-', ''), `order_${randomUUID()}`]) {
      expect((await merchant.create({}, { nonce })).status).toBe(200);
    }
  });

  test('a signature over any other body, timestamp, nonce or secret is refused with 401 invalid_signature', async () => {
    const right = { timestamp: String(contract.now()), nonce: randomUUID() };
    const { apiSecret } = contract.store;
    const wrong = [
      signatureBySpec(apiSecret, right.timestamp, right.nonce, '{}'),
      signatureBySpec(apiSecret, String(contract.now() + 1), right.nonce, ''),
      signatureBySpec(apiSecret, right.timestamp, randomUUID(), ''),
      signatureBySpec(contract.other.apiSecret, right.timestamp, right.nonce, ''),
      signatureBySpec(contract.store.apiKey, right.timestamp, right.nonce, ''),
      '0'.repeat(64),
      'no hexadecimal digits',
    ];
    for (const signature of wrong) {
      const path = `${SESSIONS}/cs_test_${'3'.repeat(22)}`;
      expect(await call('GET', path, { ...right, headers: { 'X-Service-Signature': signature } })).toEqual([
        401,
        'invalid_signature',
      ]);
    }
  });

  test('a request without a body is signed over the empty string, never over null', async () => {
    const path = `${SESSIONS}/cs_test_${'3'.repeat(22)}`;
    expect(await call('GET', path, { signed: '' })).toEqual([404, 'SESSION_NOT_FOUND']);
    for (const signed of ['null', '{}', 'undefined'])
      expect(await call('GET', path, { signed })).toEqual([401, 'invalid_signature']);
  });

  test('the body is signed as it is sent, character by character', async () => {
    const spaced = JSON.stringify(draft({ description: 'Größe 订单' }), null, 2);
    expect((await merchant.post(`${SESSIONS}/create`, spaced)).status).toBe(200);
    const compact = JSON.stringify(JSON.parse(spaced));
    const { status, json } = await merchant.post(`${SESSIONS}/create`, spaced, { signed: compact });
    expect([status, json.error.code]).toEqual([401, 'invalid_signature']);
  });

  test('the API secret is provided separately: no secret can be made of the key', async () => {
    const { apiKey, apiSecret } = contract.store;
    expect(apiSecret).not.toContain(apiKey.slice(8));
    for (const guess of [apiKey, apiKey.slice(8), apiKey.replace('ak_', 'as_')]) {
      expect(await create({ store: { ...contract.store, apiSecret: guess } })).toEqual([401, 'invalid_signature']);
    }
  });
});
