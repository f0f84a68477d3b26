// The error envelope of the specification, on every endpoint (docs/contract.md#7-errors).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADAPTERS, openContract, REFUNDS, SESSIONS, type Client, type Contract } from '@/testing/contract-client';

let contract: Contract;
beforeAll(async () => {
  contract = await openContract();
});
afterAll(() => contract.close());

const UNKNOWN = `cs_test_${'3'.repeat(22)}`;
const REFUSED: [string, string, string | undefined, number, string, string][] = [
  ['POST', `${REFUNDS}/create`, '{"session_id":"x","refund_id":"r","amount":0}', 400, 'INVALID_AMOUNT', 'amount'],
  ['GET', `${REFUNDS}/missing`, undefined, 404, 'REFUND_NOT_FOUND', 'refund_id'],
  ['POST', `${REFUNDS}/missing/cancel`, '{}', 404, 'REFUND_NOT_FOUND', 'refund_id'],
  ['POST', `${SESSIONS}/create`, '{"amount":0,"currency":"USD","order_id":"o"}', 400, 'INVALID_AMOUNT', 'amount'],
  ['GET', `${SESSIONS}/${UNKNOWN}`, undefined, 404, 'SESSION_NOT_FOUND', 'session_id'],
  ['POST', `${SESSIONS}/${UNKNOWN}/cancel`, '{}', 404, 'SESSION_NOT_FOUND', 'session_id'],
];

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
  });

  test.each(REFUSED)(
    '%s %s answers a refusal in the envelope of the specification',
    async (method, path, body, status, code, param) => {
      const answer = method === 'GET' ? await merchant.get(path) : await merchant.post(path, body);
      expect(answer.status).toBe(status);
      expect(answer.json).toEqual({
        error: {
          type: 'invalid_request_error',
          code,
          message: expect.stringMatching(/^\S.+\.$/),
          param,
          doc_url: expect.stringMatching(new RegExp(`^https?://\\S+${code}$`)),
        },
        request_id: expect.stringMatching(/^\S+$/),
        timestamp: contract.now(),
      });
    },
  );

  test('every request has an identifier of its own', async () => {
    const call = () => merchant.get(`${REFUNDS}/missing`);
    const [one, two] = [await call(), await call()];
    expect(one.json.request_id).not.toBe(two.json.request_id);
  });

  test.each(['/api/v1/merchants', '/api/v1/transactions', '/api/v1/checkout', '/api/v1'])(
    '%s, which the specification does not describe, answers 404 in the envelope',
    async (path) => {
      const { status, json } = await merchant.get(path);
      expect([status, json.error.code]).toEqual([404, 'NOT_FOUND']);
    },
  );

  test('a body that is no JSON object is 400 INVALID_JSON', async () => {
    for (const body of ['{', '[]', '"a"', 'null', '{"a":1}{']) {
      for (const path of [`${REFUNDS}/create`, `${SESSIONS}/create`]) {
        const { status, json } = await merchant.post(path, body);
        expect([status, json.error.code]).toEqual([400, 'INVALID_JSON']);
      }
    }
  });
});
