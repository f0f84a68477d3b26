// Which requests reach Next and which never do (N-01, N-03, N-07, N-08, N-10 and N-11 in docs/failure-model.md#nextjs).

import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFrontServer, raw, sendTo, statuses, type FrontServer } from '@/testing/front-server';
import { removeInternalNextHeaders } from './page-requests';

let front: FrontServer;
beforeAll(async () => {
  front = await openFrontServer();
});
afterAll(() => front.close());

const PAGES = [
  '/',
  '/login',
  '/dashboard',
  '/dashboard/st_1/live/payments',
  '/operator',
  '/pay/cs_1',
  '/docs',
  '/give',
];
const send = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
  sendTo(front.port, {
    method,
    path,
    headers: Object.entries({ host: '127.0.0.1', 'content-length': String(body.length), ...headers }),
    body: Buffer.from(body),
  });

test.each(PAGES)('N-03: no request with a body to the page %s reaches Next', async (path) => {
  const flight =
    '------x\r\nContent-Disposition: form-data; name="1_$ACTION_REF_1"\r\n\r\n{"then":"$1:__proto__:then"}\r\n------x--\r\n';
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const sent: [string, Record<string, string>, string][] = [
    ['POST', { 'next-action': '7f'.repeat(20), 'content-type': 'text/plain;charset=UTF-8' }, '["$K1"]'],
    ['POST', { 'next-action': 'x', ...form }, '0=1'],
    ['POST', { 'content-type': 'multipart/form-data; boundary=----x' }, flight],
    ['POST', { 'content-type': 'application/json' }, '{"then":"$1:__proto__:then","status":"resolved_model"}'],
    ['POST', {}, ''],
    ['PUT', form, 'a=b'],
    ['DELETE', {}, ''],
    ['OPTIONS', {}, ''],
  ];
  for (const [method, headers, body] of sent) {
    const answer = await send(method, path, headers, body);
    expect([answer.status, answer.headers.allow, answer.json.error?.code]).toEqual([
      405,
      'GET, HEAD',
      'METHOD_NOT_ALLOWED',
    ]);
  }
  const led = await send('POST', `${path}?a=b`, form, 'email=a');
  expect([led.status, led.headers.location, led.headers['x-page']]).toEqual([303, `${path}?a=b`, undefined]);
  expect((await send('GET', path, { 'next-action': 'x' })).headers['x-page']).toBe('1');
});

test.each([
  '/api/dashboard/stores',
  '/v1/nothing',
  '/pay/cs_1/refund-address/give',
  '/claim/t/give',
  '/payout-addresses/stop/t/confirm',
])('a path that accepts bodies checks the method itself: %s', async (path) => {
  const answer = await send('POST', path, { 'content-type': 'application/json' }, '{}');
  expect(answer.headers['x-page'] === '1' || answer.status === 401 || answer.status === 404).toBe(true);
  expect(answer.status).not.toBe(405);
});

test.each(['/API/v1/checkout/sessions/create', '/Api/x', '/V1/payments'])(
  'a path that only resembles an API path is not found, with any method: %s',
  async (path) => {
    const answer = await send('POST', path, { 'content-type': 'application/json' }, '{}');
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([404, 'NOT_FOUND']);
  },
);

test('N-01, N-07: the headers of Next’s own parts are removed from outside requests, and no other header is', () => {
  const own = ['x-middleware-subrequest', 'x-middleware-rewrite', 'x-middleware-set-cookie', 'x-nextjs-data'];
  const more = ['x-nextjs-redirect', 'x-invoke-path', 'x-invoke-status', 'x-matched-path', 'x-now-route-matches'];
  const kept = {
    host: 'a',
    cookie: 'b',
    rsc: '1',
    'next-router-state-tree': 'c',
    'x-forwarded-for': 'd',
    'x-next': 'e',
  };
  const headers = { ...kept, ...Object.fromEntries([...own, ...more, 'next-action'].map((name) => [name, '1'])) };
  removeInternalNextHeaders(headers);
  expect(headers).toEqual(kept);
});

test('N-08: an upgrade to another host’s address ends here, and no host is called', async () => {
  let calls = 0;
  const elsewhere = net.createServer((socket) => {
    calls++;
    socket.destroy();
  });
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  const there = `127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  for (const target of [`http://${there}/`, `ws://${there}/`, `//${there}/`, '/', '/_next/webpack-hmr'])
    for (const host of ['127.0.0.1', there]) {
      const upgrade =
        'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x\r\n';
      const answered = await raw(front.port, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${upgrade}\r\n`);
      expect(statuses(answered)).toEqual([400]);
    }
  elsewhere.close();
  expect(calls).toBe(0);
});

test.each([
  '/_next/image',
  '/_next/image?url=%2Fa.svg&w=64&q=75',
  '/_next/image/x',
  '/_next/image?url=http://a/b.avif',
])('N-11: there is no image optimizer: %s', async (path) => {
  const { status, headers, text } = await send('GET', path);
  expect([status, headers['x-page'], text]).toEqual([404, undefined, '']);
});

const OPEN_FORMS = ['/pay/cs_1/refund-address/give', '/pay/cs_1/test-money', '/claim/t/give', '/link/pl_1/open'];
test.each([...OPEN_FORMS, '/payout-addresses/stop/t/confirm'])(
  'refuses a form to %s that is larger than a customer can type, or of unknown length, before Next reads it',
  async (path) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const tooLarge = { status: 413, json: { error: { code: 'request_too_large' } } };
    expect(await send('POST', path, form, 'a='.padEnd(16_385, 'x'))).toMatchObject(tooLarge);
    const chunked = { ...form, 'transfer-encoding': 'chunked' };
    const headers = Object.entries({ host: '127.0.0.1', ...chunked });
    const body = Buffer.from('1\r\na\r\n0\r\n\r\n');
    expect(await sendTo(front.port, { method: 'POST', path, headers, body })).toMatchObject({ status: 413 });
    expect((await send('POST', path, form, 'a=b')).headers['x-page']).toBe('1');
  },
);

test('a report about the policy reaches Next where the direct adapter is off', async () => {
  const off = await openFrontServer({ DIRECT_DOOR: 'off' });
  try {
    const post = (length: number) => {
      const headers: [string, string][] = [
        ['host', '127.0.0.1'],
        ['content-type', 'application/reports+json'],
        ['content-length', String(length)],
      ];
      return sendTo(off.port, { method: 'POST', path: '/csp-report', headers, body: Buffer.alloc(length, ' ') });
    };
    expect((await post(65_536)).headers['x-page']).toBe('1');
  } finally {
    await off.close();
  }
});

test('a page, a file, a form and the dashboard count against one limit per address; the API does not', async () => {
  const limited = await openFrontServer({ LIMIT_LOOPBACK: 'on', PAGE_RATE: '1', PAGE_BURST: '4' });
  try {
    const status = async (method: string, path: string) => {
      const headers: [string, string][] = [
        ['host', '127.0.0.1'],
        ['content-length', '0'],
      ];
      return (await sendTo(limited.port, { method, path, headers, body: Buffer.alloc(0) })).status;
    };
    for (const [method, path] of [
      ['GET', '/docs'],
      ['GET', '/embed.js'],
      ['POST', '/pay/cs_1/test-money'],
      ['POST', '/api/dashboard/stores'],
    ] as const)
      expect([path, await status(method, path)]).toEqual([path, 404]);
    for (const path of ['/docs', '/pay/cs_1/find', '/pay/cs_1/status', '/status.json'])
      expect([path, await status('GET', path)]).toEqual([path, 429]);
    expect(await status('POST', '/pay/cs_1/test-money')).toBe(429);
    expect([await status('GET', '/health'), await status('GET', '/api/v1/nothing')]).toEqual([200, 404]);
  } finally {
    await limited.close();
  }
});

test('responds with Strict-Transport-Security behind https, and not on a plain local address', async () => {
  const header = 'strict-transport-security';
  expect((await send('GET', '/')).headers[header]).toBeUndefined();
  const secure = await openFrontServer({ PUBLIC_URL: 'https://pay.example' });
  try {
    for (const path of ['/', '/health', '/api/v1/checkout/sessions/cs_1'])
      expect(
        (await sendTo(secure.port, { method: 'GET', path, headers: [['host', 'pay.example']], body: Buffer.alloc(0) }))
          .headers[header],
      ).toBe('max-age=31536000');
  } finally {
    await secure.close();
  }
});

test('every response without its own policy forbids framing, loading and guessing its type', async () => {
  for (const path of ['/', '/_next/static/x.js', '/_next/image', '/health', '/status.json', '/api/v1/nothing']) {
    const { headers } = await send('GET', path);
    expect([path, headers['x-content-type-options']]).toEqual([path, 'nosniff']);
    expect([path, headers['content-security-policy']]).toEqual([path, "default-src 'none'; frame-ancestors 'none'"]);
    expect([path, headers['cross-origin-resource-policy']]).toEqual([path, 'same-origin']);
  }
});

test('a sandbox responds at names of this machine and its public address, and at no other', async () => {
  const sandbox = await openFrontServer({ SANDBOX_ORIGIN: 'http://127.0.0.1:9' });
  try {
    // The test's pages respond with 404 to unknown paths.
    for (const host of ['127.0.0.1:3000', 'localhost', '[::1]:80']) {
      const asked = `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(statuses(await raw(sandbox.port, asked))).toEqual([404]);
    }
    const rebound = `GET /sandbox/mail HTTP/1.1\r\nHost: evil.example:3000\r\n\r\n`;
    expect(statuses(await raw(sandbox.port, rebound))).toEqual([421]);
  } finally {
    await sandbox.close();
  }
});
