// The rows of docs/failure-model.md#http: malformed HTTP, much of it written to a socket by hand.

import { CURRENT_VERSION } from '@/lib/api/version';
import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TIMEOUTS } from '@/lib/api/adapters/front-server';
import { isSessionId } from '@/lib/platform/ids';
import {
  CREATE,
  openFrontServer,
  outcome,
  raw,
  sendTo,
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
const draft = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });
const newSession = async () => String((await front.send()).json.id);
const sessionCount = () => front.db.prisma.session.count();
const TOO_LARGE = '413 request_too_large body';

test('H-01 a body of 64 KiB and a byte, and one of 10 MB, close the connection', async () => {
  for (const size of [65_537, 10_000_000]) {
    const answer = await front.send({ body: JSON.stringify(draft()).padEnd(size, ' ') });
    expect([outcome(answer), answer.headers.connection]).toEqual([TOO_LARGE, 'close']);
  }
});

test('H-01 a Content-Length that is too small authorizes nothing, and the remaining bytes are no request', async () => {
  const before = await sessionCount();
  const asked = front.asked({ headers: { 'content-length': '10' } });
  expect(statuses(await raw(front.port, wire(asked)))).toEqual([400]);
  expect(await sessionCount()).toBe(before);
});

test('H-01 a Content-Length beyond the limit is refused before the body arrives', async () => {
  const asked = front.asked({ headers: { 'content-length': '99999999' } });
  expect(await raw(front.port, wire({ ...asked, body: Buffer.alloc(0) }), 2000)).toMatch(
    /^HTTP\/1\.1 413 .*request_too_large/s,
  );
});

test('H-01 a chunked body without an end is read to the limit and no further', async () => {
  const asked = front.asked({ headers: { 'content-length': null, 'transfer-encoding': 'chunked' } });
  const socket = net.connect(front.port, '127.0.0.1');
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString()));
  socket.on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(wire({ ...asked, body: Buffer.alloc(0) }));
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`;
  const before = process.memoryUsage().arrayBuffers;
  const timer = setInterval(() => socket.writable && socket.write(chunk.repeat(4)), 5);
  await closed;
  clearInterval(timer);
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(50_000_000);
});

test.each(['gzip', 'br', 'deflate', 'identity', 'gzip, gzip'])('H-02 Content-Encoding: %s', async (encoding) => {
  const body = encoding === 'gzip' ? gzipSync(Buffer.alloc(10_000_000)) : Buffer.from(JSON.stringify(draft()));
  expect(await call({ body, headers: { 'content-encoding': encoding } })).toBe(
    '400 unsupported_media_type Content-Encoding',
  );
});

test('H-03 cuts off slow senders, headers after 15 s and bodies after 30 s', async () => {
  expect([TIMEOUTS.headersTimeout, TIMEOUTS.requestTimeout]).toEqual([15_000, 30_000]);
  expect(TIMEOUTS.connectionsCheckingInterval).toBeLessThanOrEqual(1000);
  const often = { connectionsCheckingInterval: 50 };
  for (const [patience, end, least] of [
    [{ headersTimeout: 200, requestTimeout: 400, ...often }, 60, 190],
    [{ headersTimeout: 500, requestTimeout: 1500, ...often }, -5, 1490],
  ] as const) {
    const hasty = await openFrontServer({}, patience);
    try {
      const began = performance.now();
      const answered = statuses(await raw(hasty.port, wire(hasty.asked()).subarray(0, end)));
      const took = performance.now() - began;
      expect(answered).toEqual([408]);
      expect(took).toBeGreaterThan(least);
      expect(took).toBeLessThan(4500);
    } finally {
      await hasty.close();
    }
  }
});

test('H-03 a thousand senders that stop half way delay no other client', async () => {
  const bytes = wire(front.asked()).subarray(0, 80);
  const sockets = Array.from({ length: 1000 }, () => net.connect(front.port, '127.0.0.1').on('error', () => {}));
  try {
    for (const socket of sockets) socket.write(bytes);
    const times: number[] = [];
    for (let n = 0; n < 50; n++) {
      const began = performance.now();
      expect(await call()).toBe('200');
      times.push(performance.now() - began);
    }
    expect(times.toSorted((a, b) => a - b)[40]).toBeLessThan(1000);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});

/** A request inside the body of another one, which must never be parsed as a request of its own. */
const hidden = () => wire(front.asked()).toString('latin1');

test.each<[string, (body: string) => string]>([
  [
    'Content-Length and Transfer-Encoding',
    (body) => `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${body}`,
  ],
  ['Transfer-Encoding: chunked, identity', (body) => `Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${body}`],
  [
    'Transfer-Encoding twice',
    (body) => `Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${body}`,
  ],
  ['Transfer-Encoding of another spelling', (body) => `Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${body}`],
  ['two lengths', (body) => `Content-Length: 0\r\nContent-Length: ${body.length}\r\n\r\n${body}`],
  ['two lengths in one header', (body) => `Content-Length: 0, ${body.length}\r\n\r\n${body}`],
  ['a length with a sign', (body) => `Content-Length: +0\r\n\r\n${body}`],
  ['a space before the colon', (body) => `Content-Length : 0\r\n\r\n${body}`],
  ['line ends without CR', (body) => `X-A: b\nContent-Length: 0\n\n${body}`],
  ['a carriage return alone in a header', (body) => `X-A: b\rContent-Length: 0\r\n\r\n${body}`],
  ['a NUL in a header name', (body) => `Content-Length\0: 0\r\n\r\n${body}`],
  ['a chunk size that begins with 0x', (body) => `Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n${body}`],
  ['a chunk size beyond 64 bits', (body) => `Transfer-Encoding: chunked\r\n\r\n1${'0'.repeat(16)}\r\n\r\n${body}`],
  ['a line feed in a chunk extension', (body) => `Transfer-Encoding: chunked\r\n\r\n2;\nxx\r\n0\r\n\r\n${body}`],
  ['a header over two lines', (body) => `Content-Length:\r\n 0\r\nTransfer-Encoding:\r\n chunked\r\n\r\n${body}`],
])('H-04 %s: 400, and no second request', async (_, rest) => {
  const before = await sessionCount();
  const answered = await raw(front.port, `POST ${CREATE} HTTP/1.1\r\nHost: a\r\n${rest(hidden())}`);
  expect(statuses(answered)).toEqual([400]);
  expect(await sessionCount()).toBe(before);
});

test('H-05 a signed body of 11 MB is never read in part', async () => {
  const before = await sessionCount();
  expect(await call({ body: JSON.stringify(draft()).padEnd(11_000_000, ' ') })).toBe(TOO_LARGE);
  expect(await sessionCount()).toBe(before);
});

test.each(['PUT', 'PATCH', 'DELETE', 'TRACE', 'HEAD', 'OPTIONS', 'PROPFIND'])('H-06 the method %s', async (method) => {
  const session = `${SESSIONS}/cs_test_${'0'.repeat(22)}`;
  for (const [path, allow] of [
    [CREATE, 'POST'],
    [session, 'GET'],
    [`${session}/cancel`, 'POST'],
  ] as const) {
    const answer = await front.send({ method, path });
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    if (method !== 'HEAD') expect(outcome(answer)).toBe('405 METHOD_NOT_ALLOWED method');
  }
});

test('H-07 a method in a header, the query or the body has no effect', async () => {
  const path = `${SESSIONS}/${await newSession()}/cancel`;
  const headers = { 'x-http-method-override': 'POST', 'x-method-override': 'POST', 'x-http-method': 'POST' };
  expect(await call({ method: 'GET', path: `${path}?_method=POST`, headers })).toBe('405 METHOD_NOT_ALLOWED method');
  expect(await call({ body: draft({ _method: 'GET' }), headers: { 'x-http-method-override': 'GET' } })).toBe('200');
});

const NO_PATH = '404 NOT_FOUND path';
const NO_SESSION = '404 SESSION_NOT_FOUND session_id';
test.each([
  ['/', (id: string) => `/${SESSIONS}/${id}`, NO_PATH],
  ['/ within', (id: string) => `/api//v1/checkout/sessions/${id}`, NO_PATH],
  ['/./', (id: string) => `/api/v1/./checkout/sessions/${id}`, NO_PATH],
  ['/../', (id: string) => `/api/v1/x/../checkout/sessions/${id}`, NO_PATH],
  ['%2e%2e', (id: string) => `/api/v1/x/%2e%2e/checkout/sessions/${id}`, NO_PATH],
  ['backslashes', (id: string) => `/api\\v1\\checkout\\sessions\\${id}`, NO_PATH],
  ['%2F in the id', (id: string) => `${SESSIONS}/${id}%2Fcancel`, NO_SESSION],
  ['%2F in the path', (id: string) => `/api%2Fv1/checkout/sessions/${id}`, 'page'],
  ['a parameter of the segment', (id: string) => `${SESSIONS}/${id};a=b`, NO_SESSION],
  ['two slashes at the end', (id: string) => `${SESSIONS}/${id}//`, NO_PATH],
  ['upper case', (id: string) => `${SESSIONS.toUpperCase()}/${id}`, 'page'],
  ['upper case within', (id: string) => `/api/V1/checkout/sessions/${id}`, NO_PATH],
  ['%00', (id: string) => `${SESSIONS}/${id}%00`, NO_SESSION],
  ['overlong UTF-8', (id: string) => `${SESSIONS}/${id}%c0%ae`, NO_PATH],
  ['half an escape', (id: string) => `${SESSIONS}/${id}%`, NO_PATH],
  ['a space', (id: string) => `${SESSIONS}/${id}%20`, NO_SESSION],
])('H-08 %s in a path never leads to another route', async (_, path, expected) => {
  const answer = await front.send({ method: 'GET', path: path(await newSession()) });
  expect(answer.headers['x-page'] ? 'page' : outcome(answer)).toBe(expected);
});

test('H-08 the escaping of an id changes neither the route nor the access check', async () => {
  const id = await newSession();
  const escaped = `${SESSIONS}/%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
  expect(await call({ method: 'GET', path: escaped })).toBe('200');
  expect(await call({ method: 'GET', path: escaped, signedBody: 'x' })).toBe(
    '401 invalid_signature X-Service-Signature',
  );
});

test.each([
  'a'.repeat(10_000),
  `'"`,
  '$ne',
  '{}',
  '{"$ne":null}',
  `' OR 1=1 --`,
  '../../etc',
  'cs_test_',
  '١'.repeat(22),
])('H-09 an id %#', async (id) => {
  expect(isSessionId(id)).toBe(false);
  const path = `${SESSIONS}/${encodeURIComponent(id)}`;
  expect(await call({ method: 'GET', path })).toBe(NO_SESSION);
  expect(await call({ path: `${path}/cancel`, body: '' })).toBe(NO_SESSION);
});

test('H-10 no input can add a header to a response, and the request id is ours', async () => {
  const line = 'x\r\nX-Injected: 1';
  expect(await call({ body: draft({ order_id: line }) })).toBe('400 INVALID_PARAMETER order_id');
  const answers = [
    await front.send({ body: draft({ metadata: { line } }) }),
    await front.send({ method: 'GET', path: `${SESSIONS}/${encodeURIComponent(line)}` }),
    await front.send({ headers: { 'x-request-id': 'mine', 'service-version': '2026-01-01' } }),
    await front.send({ method: 'GET', path: `/api/v1/%0d%0aX-Injected:%201` }),
  ];
  for (const { headers } of answers) {
    expect(headers).not.toHaveProperty('x-injected');
    expect(headers['x-request-id']).toMatch(/^req_[0-9A-Za-z]{22}$/);
  }
});

test('H-11 a thousand headers, and a cookie of 32 KB', async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x-${n}`, '1']));
  const long = { cookie: 'x'.repeat(32_768) };
  for (const headers of [many, long]) {
    expect(statuses(await raw(front.port, wire(front.asked({ headers }))))).toEqual([431]);
  }
  const some = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-${n}`, '1']));
  expect(await call({ headers: some })).toBe('200');
});

test('H-12 URLs in responses use the configured origin, whatever host the request names', async () => {
  const elsewhere = {
    ...{ host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    ...{ forwarded: 'host=evil.example;proto=https', 'x-original-url': '/evil', 'x-rewrite-url': '/evil' },
  };
  const made = await front.send({ headers: elsewhere });
  expect(made.json.url).toBe(`${front.config.PUBLIC_URL}/pay/${String(made.json.id)}`);
  const refused = await front.send({ headers: elsewhere, body: '[]' });
  expect(refused.json.error?.doc_url).toBe(`${front.config.PUBLIC_URL}/docs/errors/INVALID_JSON`);
  expect(made.text + refused.text).not.toContain('evil.example');
});

test('H-13 an address in X-Forwarded-For counts only when a trusted proxy sends it', async () => {
  const settings = { LIMIT_LOOPBACK: 'on', FAILURE_RATE: '1', FAILURE_BURST: '3' };
  const guesses = async (server: FrontServer) => {
    const answers: string[] = [];
    for (let n = 0; n < 5; n++) {
      const headers = {
        'x-forwarded-for': `198.51.100.${n}`,
        forwarded: `for=198.51.100.${n}`,
        'x-real-ip': `198.51.100.${n}`,
      };
      answers.push(outcome(await server.send({ headers, signedBody: 'guess' })).slice(0, 3));
    }
    return answers.join(' ');
  };
  const [plain, behind] = [
    await openFrontServer(settings),
    await openFrontServer({ ...settings, TRUSTED_PROXIES: '127.0.0.0/8' }),
  ];
  try {
    expect([await guesses(plain), await guesses(behind)]).toEqual(['401 401 401 429 429', '401 401 401 401 401']);
  } finally {
    await plain.close();
    await behind.close();
  }
});

test.each(['ff', 'c328', 'c080', 'eda080', 'f4908080', '80'])('H-14 the bytes %s in a text', async (hex) => {
  const [before, after] = JSON.stringify(draft({ description: '|' })).split('|') as [string, string];
  const body = Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(after)]);
  expect(await call({ body })).toBe('400 INVALID_JSON body');
});

test('H-15 a request that names no host, by HTTP/1.0 or 1.1', async () => {
  const asked = front.asked({ headers: { host: null } });
  for (const version of ['1.0', '1.1']) expect(statuses(await raw(front.port, wire(asked, version)))).toEqual([400]);
  const health = `GET /health HTTP/1.0\r\n\r\n`;
  expect(statuses(await raw(front.port, health))).toEqual([200]);
});

test('H-16 the address of another server as the target', async () => {
  for (const origin of ['http://evil.example', 'http://127.0.0.1:1', front.config.PUBLIC_URL]) {
    expect(await call({ method: 'GET', path: `${origin}${SESSIONS}` })).toBe(NO_PATH);
  }
});

test('H-16 CONNECT and Upgrade are refused without reaching another host', async () => {
  let reached = 0;
  const other = net.createServer(() => reached++);
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  const { port } = other.address() as net.AddressInfo;
  const upgrade = (to: string) =>
    `GET ${SESSIONS} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: ${to}\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`;
  for (const bytes of [`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: a\r\n\r\n`, upgrade('websocket'), upgrade('h2c')]) {
    const answered = await raw(front.port, bytes);
    expect([statuses(answered), /^Connection: close\r$/m.test(answered)]).toEqual([[400], true]);
  }
  expect(statuses(await raw(front.port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'))).toEqual([400]);
  other.close();
  expect(reached).toBe(0);
});

test.each(['2026-02-30', '2027-13-01', '1.0', 'latest', '20261121', '2026-1-1', '', ' ', '9'.repeat(500)])(
  'H-17 rejects %j as Service-Version, which is not a date of the calendar',
  async (version) => {
    const answer = await front.send({ headers: { 'service-version': version } });
    expect(outcome(answer)).toBe('400 INVALID_VERSION Service-Version');
  },
);

test.each(['2001-01-01', '2026-11-22', '2099-12-31'])(
  'H-17 answers Service-Version %s, and names the version that was applied',
  async (version) => {
    const answer = await sendTo(front.port, front.asked({ headers: { 'service-version': version } }));
    expect([outcome(answer), answer.headers['service-version']]).toEqual(['200', CURRENT_VERSION]);
  },
);
