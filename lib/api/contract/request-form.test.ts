// Valid forms of a signed request where the specification leaves them open: its content type, its body, its nonce, and the order
// of the checks (docs/api-decisions.md#authentication).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADAPTERS, openContract, REFUNDS, SESSIONS, type Client, type Contract } from '@/testing/contract-client';

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

  test('a POST without a body needs no Content-Type', async () => {
    const { json } = await merchant.create();
    const headers = { 'Content-Type': null };
    expect((await merchant.post(`${SESSIONS}/${json.id}/cancel`, undefined, { headers })).status).toBe(200);
  });

  test.each([
    ['of another type', { 'Content-Type': 'text/plain' }],
    ['of another charset', { 'Content-Type': 'application/json; charset=latin1' }],
    ['without a type', { 'Content-Type': null }],
    ['that is encoded', { 'Content-Encoding': 'gzip' }],
  ])('a body %s is 400 unsupported_media_type', async (_, headers) => {
    const { status, json } = await merchant.create({}, { headers });
    expect([status, json.error.code]).toEqual([400, 'unsupported_media_type']);
  });

  test('a nonce may contain dots, and neither { nor [', async () => {
    expect((await merchant.create({}, { nonce: `a.b.${randomUUID()}.` })).status).toBe(200);
    for (const sign of ['{', '[']) {
      const { status, json } = await merchant.create({}, { nonce: `${randomUUID()}${sign}` });
      expect([status, json.error.code]).toEqual([401, 'invalid_nonce']);
    }
  });

  test('a body that does not begin as a JSON object or list is 400 INVALID_JSON, also where a body is ignored', async () => {
    const { json } = await merchant.create();
    for (const path of [`${SESSIONS}/${json.id}/cancel`, `${REFUNDS}/r-1/cancel`, `${SESSIONS}/create`]) {
      const { status, json: refused } = await merchant.post(path, 'x.{"amount":1}');
      expect([status, refused.error.code]).toEqual([400, 'INVALID_JSON']);
    }
    expect((await merchant.post(`${SESSIONS}/${json.id}/cancel`, ' [1]')).status).toBe(200);
  });

  test('the key is checked first, then the other headers, the timestamp, the signature and the nonce', async () => {
    const spent = randomUUID();
    await merchant.create({}, { nonce: spent });
    const wrong = { nonce: spent, signed: 'another body', timestamp: '1', headers: { 'X-Service-Nonce': null } };
    const code = async (change: object) => (await merchant.create({}, change)).json.error.code;
    const unknown = { ...contract.store, apiKey: 'ak_test_nobody' };
    expect([
      await code({ ...wrong, store: unknown }),
      await code(wrong),
      await code({ ...wrong, headers: {} }),
      await code({ ...wrong, headers: {}, timestamp: String(contract.now()) }),
      await code({ nonce: spent }),
    ]).toEqual(['invalid_api_key', 'missing_header', 'invalid_timestamp', 'invalid_signature', 'nonce_reused']);
  });
});
