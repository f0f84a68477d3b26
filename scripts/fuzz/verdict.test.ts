// The fuzzer's verdict on responses: a correct one has no fault, and every kind of fault is found.

import { describe, expect, test } from 'vitest';
import { openApiDocument } from '@/lib/api/openapi/document';
import { readApi, type Document } from './document';
import type { Plan } from './plan';
import { Random } from './random';
import type { Answered } from './send';
import { shrunk } from './shrink';
import { faultsOf } from './verdict';

const document = JSON.parse(JSON.stringify(openApiDocument('http://127.0.0.1:3000'))) as Document;
const api = readApi(document);
const ID = 'req_7Zc2VbqTn4Wm1XkPdR8sLa';
const READ = '/api/v1/checkout/sessions/cs_test_1';
const plan = (over: Partial<Plan> = {}): Plan => ({
  ...{ operation: 'readSession', method: 'GET', path: READ, query: [], headers: {}, body: Buffer.alloc(0) },
  ...{ signing: 'right', caller: 0, ...over },
});
const headers = {
  ...{
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  },
  ...{ 'x-request-id': ID, 'service-version': '2026-11-21' },
};
const example =
  document.paths['/api/v1/checkout/sessions/{session_id}']?.get?.responses['200']?.content?.['application/json'];
const session = Object.values(example?.examples ?? {})[0]?.value as object;
const answer = (status: number, body: unknown, more: object = {}): Answered => ({
  ...{ status, headers: { ...headers, ...more }, text: typeof body === 'string' ? body : JSON.stringify(body) },
});
const refusal = (code: string, over: object = {}) => ({
  error: { type: 'api_error', code, message: 'm', doc_url: `http://127.0.0.1:3000/docs/errors/${code}` },
  ...{ request_id: ID, timestamp: 1, ...over },
});
const judge = (asked: Plan, came: Answered) => faultsOf({ api, secrets: ['as_test_secret'] }, asked, came);

test('a correct response has no fault', () => {
  expect(judge(plan(), answer(200, session))).toEqual([]);
  expect(judge(plan(), answer(404, refusal('SESSION_NOT_FOUND')))).toEqual([]);
  expect(judge(plan({ signing: 'nonce' }), answer(401, refusal('invalid_nonce')))).toEqual([]);
  expect(judge(plan({ method: 'PUT' }), answer(405, refusal('METHOD_NOT_ALLOWED'), { allow: 'GET' }))).toEqual([]);
  expect(judge(plan({ path: '/api/nothing' }), answer(404, refusal('NOT_FOUND')))).toEqual([]);
  const page = answer(405, refusal('METHOD_NOT_ALLOWED'), { allow: 'GET, HEAD' });
  expect(judge(plan({ method: 'POST', path: '/nothing' }), page)).toEqual([]);
  for (const fault of [{ path: '/nothing' }, { method: 'POST', path: '/API/nothing' }])
    expect(judge(plan(fault), page)).toEqual(['405 at a path that is not described']);
});

describe('a fault is found:', () => {
  const create = plan({ operation: 'createSession', method: 'POST', path: '/api/v1/checkout/sessions/create' });
  test.each<[string, Plan, Answered]>([
    ['the service failed', plan(), answer(500, refusal('internal_error'))],
    ['it could not answer', plan(), answer(503, refusal('SERVICE_UNAVAILABLE'), { 'retry-after': '1' })],
    ['no rate where none is needed', plan(), answer(503, refusal('EXCHANGE_RATE_UNAVAILABLE'), { 'retry-after': '1' })],
    ['no rate, and not when to come back', create, answer(503, refusal('EXCHANGE_RATE_UNAVAILABLE'))],
    ['a status that is not described', plan(), answer(202, session)],
    ['a code that is not described', plan(), answer(400, refusal('AMOUNT_MISMATCH'))],
    ['a field more', plan(), answer(200, { ...session, surprise: 1 })],
    ['a field less', plan(), answer(200, { ...session, id: undefined })],
    ['a field of another type', plan(), answer(200, { ...session, id: 1 })],
    ['another request id', plan(), answer(404, refusal('SESSION_NOT_FOUND', { request_id: ID.toLowerCase() }))],
    ['no request id', plan(), answer(200, session, { 'x-request-id': undefined })],
    ['it may be cached', plan(), answer(200, session, { 'cache-control': undefined })],
    ['no JSON', plan(), answer(200, 'OK')],
    ['another media type', plan(), answer(200, session, { 'content-type': 'text/html' })],
    ['a secret', plan(), answer(200, { ...session, url: 'as_test_secret' })],
    ['let in with a wrong signature', plan({ signing: 'signature' }), answer(200, session)],
    ['let in again', plan({ signing: 'replay' }), answer(200, session)],
    ['refused for another reason', plan({ signing: 'nonce' }), answer(401, refusal('invalid_signature'))],
    ['not let in', plan(), answer(401, refusal('invalid_signature'))],
    ['an answer at no path', plan({ path: '/api/nothing' }), answer(200, session)],
    [
      'Allow without the method',
      plan({ method: 'PUT' }),
      answer(405, refusal('METHOD_NOT_ALLOWED'), { allow: 'POST' }),
    ],
  ])('%s', (_, asked, came) => {
    expect(judge(asked, came)).not.toEqual([]);
  });
});

test('shrinks a request as long as it still causes its fault', async () => {
  const value = { a: 'long text', list: [1, { bad: true, more: 2 }], other: {} };
  const large = plan({ value, body: Buffer.from(JSON.stringify(value)), query: [['x', '1']], headers: { 'x-a': '1' } });
  const least = await shrunk(large, async (one) => one.body.includes('"bad":true'));
  expect([least.body.toString(), least.query, least.headers]).toEqual(['{"list":[{"bad":true}]}', [], {}]);
});

test('the same seed repeats its draws, and another seed does not', () => {
  const drawn = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 20 }, () => random.below(1000)).join();
  };
  expect([drawn(7) === drawn(7), drawn(7) === drawn(8)]).toEqual([true, false]);
});
