// Plain `next start`, without server.ts, serves everything but the speed: each request gets the same response from both, and the
// pages work in a browser.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { Merchant } from './merchant';
import { ROOT, sandbox, signedIn } from './http-client';
import { BURST, PROXY, send, startServers, type Received, type Sent, type Server } from './two-servers';

test.describe.configure({ mode: 'default' });

let servers: Awaited<ReturnType<typeof startServers>>;
let sessionId: string;
test.beforeAll(async () => {
  servers = await startServers();
  sessionId = (await new Merchant(servers.plain.origin).create()).id;
});
test.afterAll(() => servers?.close());

const FORM = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const REPORT = ['Content-Type', 'application/reports+json'] as const;
const long = (length: number): string => ' '.repeat(length);

/** Headers that differ between two responses of one server, and what Next adds to any response and to a redirect's body. */
const VOLATILE = /^(date|connection|keep-alive|content-length|transfer-encoding|x-request-id|vary)$/;

/** A response without what differs between two responses of one server. */
function comparable({ origin }: Server, { status, headers, text }: Received, withBody: boolean) {
  const stable = (value: string): string =>
    value
      .replaceAll(origin, 'ORIGIN')
      .replaceAll(/nonce(-|=")[A-Za-z0-9+/=]+/g, 'nonce')
      .replaceAll(/"server_time":\d+/g, 'NOW')
      .replaceAll(/=[A-Za-z0-9%+/_.|-]{16,}/g, '=V')
      .replaceAll(/"request_id":"[^"]+"|"timestamp":\d+/g, 'V');
  const isBodiless = headers.location !== undefined;
  const kept = Object.entries(headers).filter(
    ([name]) => !VOLATILE.test(name) && !(isBodiless && name === 'content-type'),
  );
  return {
    status,
    headers: Object.fromEntries(kept.map(([name, value]) => [name, [value].flat().map((one) => stable(String(one)))])),
    // Next repeats a redirect's location in the body.
    body: withBody && !isBodiless ? stable(text) : '',
  };
}

async function expectSame(sent: Sent, withBody = true): Promise<Received> {
  const [plain, direct] = [await send(servers.plain, sent), await send(servers.direct, sent)];
  const what = `${sent.method ?? 'GET'} ${sent.path}`;
  expect
    .soft({ what, ...comparable(servers.plain, plain, withBody) })
    .toEqual({ what, ...comparable(servers.direct, direct, withBody) });
  return plain;
}

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'];

test('the API answers every method at known and unknown paths alike', async () => {
  const paths = ['/api', '/api/v1/nothing', '/api/v1/refunds', '/api/v1/refunds/create', '/api/v1/refunds/x/cancel'];
  const more = ['/api/v1/refunds/', '/api/v1/refunds/a%2Fb', '/v1', '/v1/payment/sessions/x/', '/api/cron'];
  for (const at of [...paths, ...more]) for (const method of METHODS) await expectSame({ method, path: at });
});

test('a signed call works, and two Authorization headers are refused', async () => {
  const session = await new Merchant(servers.plain.origin).create();
  expect(session.url).toBe(`${servers.plain.origin}/pay/${session.id}`);
  const twice = ['a', 'b'].map((key) => ['Authorization', `Bearer ${key}`] as const);
  const refused = await expectSame({ path: `/api/v1/checkout/sessions/${session.id}`, headers: twice });
  expect(refused.status).toBe(401);
});

test('the public operations answer every method alike', async () => {
  for (const method of METHODS) {
    for (const at of ['/health', '/livez', '/readyz', '/csp-report']) await expectSame({ method, path: at });
    for (const at of ['/metrics', '/openapi.json', `/pay/${sessionId}/status`, '/pay/none/status'])
      if (method !== 'HEAD') await expectSame({ method, path: at });
  }
  const health = await send(servers.plain, { path: '/health' });
  expect([health.status, health.text]).toEqual([200, '{"status":"ok"}']);
  expect((await expectSame({ path: '/status.json' }, false)).status).toBe(200);
});

test('a path that is not canonical does not exist', async () => {
  for (const at of ['//api/v1/refunds', '/docs/../login', '/docs/%2e%2E/login', '/pay/%E0%A4%A', '/a\\b', '/docs//x'])
    for (const method of ['GET', 'POST']) expect((await expectSame({ method, path: at })).status).toBe(404);
});

test('pages and files have the same status and headers', async () => {
  const [built = ''] = readdirSync(join(ROOT, '.next/static/checkout')).filter((name) => name.endsWith('.js'));
  const pages = [
    '/',
    '/docs',
    '/login',
    '/status',
    '/dashboard',
    '/operator',
    `/pay/${sessionId}`,
    '/pay/none',
    '/none',
  ];
  const files = ['/embed.js', '/logo/none', '/icon.svg', '/sdk/none', '/sdk/stabletill-sdk.json', '/favicon.ico'];
  const more = [
    `/_next/static/checkout/${built}`,
    '/.well-known/security.txt',
    '/api/auth/csrf',
    '/api/dashboard/none',
  ];
  for (const at of [...pages, ...files, ...more])
    for (const method of ['GET', 'HEAD']) await expectSame({ method, path: at }, false);
  for (const at of ['/_next/image?url=%2Ficon.svg&w=64&q=75', '/docs.rsc', '/docs.segments/x'])
    expect((await expectSame({ path: at })).status).toBe(404);
});

test('a page accepts no body, and the headers of Next’s own parts do nothing', async () => {
  for (const at of ['/', '/login', '/dashboard', '/embed.js', '/API/v1/refunds']) {
    await expectSame({ method: 'POST', path: `${at}?a=b`, headers: [FORM], body: 'a=b' });
    await expectSame({ method: 'POST', path: at, headers: [JSON_TYPE, ['Next-Action', 'x']], body: '[]' });
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) await expectSame({ method, path: at });
  }
  const forged = [
    ['X-Middleware-Subrequest', 'proxy:proxy:proxy:proxy:proxy'],
    ['X-Nextjs-Data', '1'],
  ] as const;
  const page = await expectSame({ path: '/dashboard', headers: forged }, false);
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
});

test('bodies have the same limits', async () => {
  const chunked = ['Transfer-Encoding', 'chunked'] as const;
  const sent: Sent[] = [
    { path: '/api/v1/refunds/create', headers: [JSON_TYPE], body: long(65_537) },
    { path: '/v1/payment/sessions/x/', headers: [JSON_TYPE, chunked], body: long(65_537) },
    { path: '/csp-report', headers: [REPORT], body: long(65_537) },
    { path: '/pay/x/test-money', headers: [FORM], body: long(16_385) },
    { path: '/claim/x/give', headers: [FORM, chunked], body: 'a=b' },
    { path: '/api/dashboard/stores', headers: [JSON_TYPE, chunked], body: long(98_305) },
  ];
  for (const one of sent) expect((await expectSame({ ...one, method: 'POST' })).status).toBe(413);
});

test('an address that requests too many pages waits, and no other address does', async () => {
  const pages = [
    '/docs',
    '/embed.js',
    '/logo/none',
    '/api/auth/csrf',
    '/api/dashboard/none',
    '/pay/none/find',
    '/status.json',
  ];
  for (const [n, server] of [servers.plain, servers.direct].entries()) {
    const client = (last: number) => ({
      from: PROXY,
      headers: [['X-Forwarded-For', `203.0.113.${20 * n + last}`]] as const,
    });
    // All at once, before the limit refills.
    const at = Array.from({ length: 2 * BURST }, () => pages).flat();
    const answers = await Promise.all(at.map((path) => send(server, { path, ...client(1) })));
    const refused = at.filter((_, index) => answers[index]?.status === 429);
    expect([server.name, new Set(refused)]).toEqual([server.name, new Set(pages)]);
    const { headers, text = '' } = answers.find(({ status }) => status === 429) ?? {};
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect([headers?.['retry-after'], headers?.['ratelimit-policy']]).toEqual(['1', '"page";q=4;w=4']);
    const others = await Promise.all(
      ['/health', '/api/v1/nothing', '/v1/nothing'].map((path) => send(server, { path, ...client(1) })),
    );
    expect([server.name, others.map(({ status }) => status)]).toEqual([server.name, [200, 404, 404]]);
    expect([server.name, (await send(server, { path: '/docs', ...client(2) })).status]).toEqual([server.name, 200]);
  }
});

test('an address that a client claims counts for nothing', async () => {
  const claims = [
    ['X-Stabletill-Client', 'x 203.0.113.90'],
    ['X-Request-Target', '/api'],
  ] as const;
  const each = Array.from({ length: 3 * BURST }, (_, n) => n);
  for (const server of [servers.plain, servers.direct]) {
    const statuses = async (sent: (n: number) => Omit<Sent, 'path'>): Promise<number[]> =>
      (await Promise.all(each.map((n) => send(server, { path: '/docs', ...sent(n) })))).map(({ status }) => status);
    // As this machine's own address it has no limit, so the claimed address is never counted.
    const claimed = ['X-Forwarded-For', '203.0.113.90'] as const;
    expect(await statuses(() => ({ headers: [claimed, ...claims] }))).toEqual(each.map(() => 200));
    // Behind the proxy, an entry that the client itself put in front is not reached.
    const own = server === servers.plain ? '203.0.113.91' : '203.0.113.92';
    const through = (n: number) => ['X-Forwarded-For', `198.51.100.${n}, ${own}`] as const;
    const behind = await statuses((n) => ({ headers: [through(n), ...claims], from: PROXY }));
    expect([server.name, new Set(behind)]).toEqual([server.name, new Set([200, 429])]);
  }
});

test('the hosted page is complete without the framework and can be paid', async ({ page }) => {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) faults.push(message.text());
  });
  const { text } = await expectSame({ path: `/pay/${sessionId}` }, false);
  expect(text.match(/<script\b/g)).toHaveLength(1);
  const merchant = new Merchant(servers.plain.origin);
  await page.goto(`${servers.plain.origin}/pay/${sessionId}`);
  await expect(page.getByText('12.34').first()).toBeVisible();
  await merchant.pay(sessionId);
  await expect(page.locator('[data-stage="paid"]')).toBeVisible();
  expect(faults).toEqual([]);
});

test('a merchant signs in and sees the payments', async () => {
  const { origin } = servers.plain;
  const { merchants, stores } = sandbox();
  const merchant = await signedIn(origin, merchants[0]);
  const payments = await merchant.get(`/dashboard/${stores[0].id}/test/payments`);
  expect([payments.status(), await payments.text()]).toEqual([200, expect.stringContaining(stores[0].name)]);
  await merchant.dispose();
});
