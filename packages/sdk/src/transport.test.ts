// Calls over real HTTP to a server that checks every try with the product's own verification and returns prepared answers:
// requests, retries and their timing, cancellation, and error texts.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  checkNonce,
  checkSignature,
  checkTimestamp,
  readSignedHeaders,
} from '@/lib/merchants/api-keys/request-signature';
import { unixSeconds } from '@/lib/platform/clock';
import {
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StabletillError,
  TimeoutError,
} from './errors';
import { Transport, VERSION, type Call } from './transport';

type Tried = { method: string; url: string; headers: IncomingMessage['headers']; body: Buffer; nonce: string };
type Reply = (response: ServerResponse) => void;

const SECRET = 'as_test_do-not-show';
const READ: Call = { method: 'GET', path: '/api/v1/thing', repeatable: 'always' };
const CREATE: Call = { method: 'POST', path: '/create', body: { a: 1 }, idempotencyKey: 'key-1', repeatable: 'always' };
const CANCEL: Call = { method: 'POST', path: '/cancel', repeatable: 'refused' };

let server: Server;
let baseUrl: string;
let tried: Tried[] = [];
let replies: Reply[] = [];
let waits: number[] = [];

beforeAll(async () => {
  server = createServer((request, response) => void judge(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [tried, replies, waits] = [[], [], []];
});

/** Throws if the product would refuse the request. */
async function judge(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part);
  const body = Buffer.concat(parts);
  const { method = '', url = '', headers, headersDistinct } = incoming;
  const request = { method, path: url, query: '', header: (name: string) => headersDistinct[name] ?? [], body };
  try {
    const signed = readSignedHeaders({ ...request, address: '127.0.0.1' });
    checkTimestamp(signed.timestamp, unixSeconds(new Date()));
    checkSignature(signed, body, SECRET);
    checkNonce(signed.nonce);
    if (tried.some(({ nonce }) => nonce === signed.nonce)) throw new Error('the nonce was used before');
    tried.push({ method, url, headers, body, nonce: signed.nonce });
    (replies.shift() ?? reply(200, { ok: true }))(response);
  } catch (error) {
    reply(401, { error: { code: 'judged', message: String(error) } })(response);
  }
}

const reply =
  (status: number, body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
  reply(status, { error: { type: 'some_error', code, message: 'Because.' }, request_id: 'req_1' }, headers);
const breakOff: Reply = (response) => void response.destroy();
const silence: Reply = () => {};

function transport(over: object = {}): Transport {
  const wait = async (milliseconds: number, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    waits.push(milliseconds);
  };
  const options = { apiKey: 'ak_test_1', apiSecret: SECRET, baseUrl, ...over };
  return new Transport(options, { wait, chance: () => 0 });
}
/** The URL of a server that has stopped. */
async function nowhere(): Promise<string> {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  return `http://127.0.0.1:${port}`;
}
const faultOf = (call: Call, options = {}, over = {}): Promise<unknown> =>
  transport(over)
    .call(call, options)
    .catch((error: unknown) => error);

describe('a request', () => {
  test('is signed so that the product accepts it, whatever its body', async () => {
    const client = transport();
    const bodies = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 5 });
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        tried = [];
        expect(await client.call({ ...CREATE, body })).toEqual({ ok: true });
        expect(tried[0]?.body.toString()).toBe(JSON.stringify(body));
      }),
      { numRuns: 50 },
    );
  });

  test('has no body and no content type when it reads', async () => {
    expect(await transport().call({ ...READ, path: '/list?limit=2&cursor=a%2Bb' })).toEqual({ ok: true });
    expect(tried).toMatchObject([{ method: 'GET', url: '/list?limit=2&cursor=a%2Bb' }]);
    expect(tried[0]?.headers).not.toHaveProperty('content-type');
    expect(tried[0]?.headers).toMatchObject({
      authorization: 'Bearer ak_test_1',
      'user-agent': `stabletill-sdk/${VERSION}`,
    });
  });

  test('without a body is signed over an empty body, and still has the JSON content type', async () => {
    await transport().call(CANCEL);
    expect(tried).toMatchObject([
      { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': '0' } },
    ]);
  });

  test('carries the requested version', async () => {
    await transport({ version: '2026-01-31' }).call(READ);
    await transport().call(READ);
    expect(tried.map(({ headers }) => headers['service-version'])).toEqual(['2026-01-31', undefined]);
  });

  test('is sent below the path of the base URL', async () => {
    await transport({ baseUrl: `${baseUrl}/pay/` }).call(READ);
    expect(tried[0]?.url).toBe('/pay/api/v1/thing');
  });

  test('uses the given clock and fetch', async () => {
    const late = await faultOf(READ, {}, { now: () => Date.now() - 301_000 });
    expect(late).toMatchObject({ name: 'AuthenticationError', code: 'judged' });
    const fetched: string[] = [];
    const own = (url: string, init: RequestInit) => (fetched.push(url), fetch(url, init));
    expect(await transport({ fetch: own }).call(READ)).toEqual({ ok: true });
    expect(fetched).toEqual([`${baseUrl}/api/v1/thing`]);
  });
});

describe('a call is retried', () => {
  test.each<[string, Reply]>([
    ['a broken connection', breakOff],
    ['500', refusal(500, 'internal_error')],
    ['503', refusal(503, 'SERVICE_UNAVAILABLE')],
    ['429', refusal(429, 'RATE_LIMITED')],
    ['a proxy’s 502', reply(502, '<h1>Bad gateway</h1>')],
  ])('after %s, with fresh nonces, the same body and the same idempotency key', async (_, failure) => {
    replies = [failure, failure];
    expect(await transport().call(CREATE)).toEqual({ ok: true });
    expect(new Set(tried.map(({ nonce }) => nonce)).size).toBe(3);
    expect(tried.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1', 'key-1']);
    expect(tried.map(({ body }) => body.toString())).toEqual(Array.from({ length: 3 }, () => '{"a":1}'));
    expect(waits).toEqual([250, 500]);
  });

  test('when the service says so, and not earlier', async () => {
    replies = [refusal(429, 'RATE_LIMITED', { 'retry-after': '3' })];
    await transport().call(CANCEL);
    expect(waits).toEqual([3000]);
  });

  test('as often as configured, and then fails with the last error', async () => {
    replies = [refusal(500, 'a'), refusal(500, 'b'), refusal(500, 'c'), refusal(500, 'd')];
    expect(await faultOf(READ)).toMatchObject({ name: 'ServerError', code: 'c' });
    expect(await faultOf(READ, { maxRetries: 0 })).toMatchObject({ code: 'd' });
    expect(tried).toHaveLength(4);
  });

  test('only where that is safe', async () => {
    for (const failure of [breakOff, refusal(500, 'internal_error'), refusal(503, 'SERVICE_UNAVAILABLE')]) {
      replies = [failure];
      expect(await faultOf(CANCEL)).toBeInstanceOf(StabletillError);
    }
    expect(tried).toHaveLength(3);
    expect(waits).toEqual([]);
  });
});

describe('a call ends', () => {
  test('when no answer comes in time', async () => {
    replies = [silence, silence];
    const error = await faultOf(READ, { timeoutMs: 20, maxRetries: 1 });
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, message: expect.stringContaining('within 20 ms') });
    // One wait before the one retry. A busy machine may not have sent the request itself within 20 ms.
    expect(waits).toHaveLength(1);
  });

  test('when an answer begins in time but does not end', async () => {
    replies = [(response) => void response.writeHead(200).write('{"a":')];
    expect(await faultOf(READ, { timeoutMs: 50, maxRetries: 0 })).toBeInstanceOf(TimeoutError);
  });

  test('with the reason of the signal, before, during and between tries', async () => {
    const reason = new Error('the customer left');
    expect(await faultOf(READ, { signal: AbortSignal.abort(reason) })).toBe(reason);
    expect(tried).toHaveLength(0);
    const during = new AbortController();
    replies = [() => during.abort(reason)];
    expect(await faultOf(READ, { signal: during.signal })).toBe(reason);
    const between = new AbortController();
    replies = [
      (response) => {
        refusal(500, 'x')(response);
        between.abort(reason);
      },
    ];
    expect(await faultOf(READ, { signal: between.signal })).toBe(reason);
    expect(tried).toHaveLength(2);
  });
});

describe('an error', () => {
  test.each([
    [400, InvalidRequestError, 'InvalidRequestError'],
    [401, AuthenticationError, 'AuthenticationError'],
    [403, PermissionError, 'PermissionError'],
    [404, NotFoundError, 'NotFoundError'],
    [415, InvalidRequestError, 'InvalidRequestError'],
    [429, RateLimitError, 'RateLimitError'],
    [500, ServerError, 'ServerError'],
  ])('of status %i has its class and all fields of the envelope', async (status, kind, name) => {
    const envelope = { type: 't', code: 'C', message: 'M', param: 'p', doc_url: 'https://x.example/docs/errors/C' };
    replies = [reply(status, { error: envelope, request_id: 'req_1', timestamp: 1 })];
    const error = await faultOf(READ, { maxRetries: 0 });
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ name, type: 't', code: 'C', message: 'M', param: 'p', status, requestId: 'req_1' });
    expect(error).toMatchObject({ docUrl: 'https://x.example/docs/errors/C' });
  });

  test('of a limit says when to retry', async () => {
    replies = [refusal(429, 'DAILY_REFUND_LIMIT_EXCEEDED', { 'retry-after': '900' })];
    expect(await faultOf(READ)).toMatchObject({ name: 'RateLimitError', retryAfter: 900 });
    expect(tried).toHaveLength(1);
  });

  test.each<[string, number, string, Record<string, string>]>([
    ['a proxy’s page', 404, '<h1>hidden</h1>', { 'x-request-id': 'req_2' }],
    ['a success that is no JSON', 200, 'hidden', {}],
    ['a success that is no object', 200, '[1]', {}],
    ['another service’s JSON', 400, '{"error":"hidden"}', {}],
    ['null', 404, 'null', {}],
  ])('of %s is a ServerError and shows none of the body', async (_, status, body, headers) => {
    replies = [reply(status, body, headers)];
    const error = await faultOf(READ);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ code: 'unexpected_answer', status, requestId: headers['x-request-id'] ?? null });
    expect(inspect(error)).not.toContain('hidden');
  });

  test('of a redirect says so, and nothing is sent to the new location', async () => {
    replies = [reply(307, '', { location: `${baseUrl}/elsewhere` })];
    expect(await faultOf(CREATE)).toMatchObject({
      code: 'unexpected_answer',
      message: expect.stringContaining('redirect'),
    });
    expect(tried).toHaveLength(1);
  });

  test('of an unreachable service names the call and contains no secret', async () => {
    const error = await faultOf({ ...READ, path: '/api/v1/thing?order_id=private' }, {}, { baseUrl: await nowhere() });
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('GET /api/v1/thing got'),
    });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/do-not-show|ak_test_1|private/);
    expect(waits).toHaveLength(2);
  });
});
