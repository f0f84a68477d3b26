// Rows N of docs/failure-model.md#nextjs against the running product: whatever a request contains, Next's pages decide
// alike for every client. They accept no input and show no data of another user.

import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { builtPages, cookieOf, pageIn, raw, sandbox, signedIn, type RawResponse } from './http-client';

/** The routing decision; the rendered page differs by its nonce from request to request. */
const decision = ({ status, headers }: RawResponse) => ({
  status,
  to: headers.location ?? null,
  isFramed: headers['x-frame-options'] !== 'DENY',
  hasPolicy: /nonce-/.test(String(headers['content-security-policy'])),
});
const base = (baseURL: string | undefined): string => baseURL as string;
const isProtected = (page: string): boolean => /^\/(dashboard|operator)(\/|$)/.test(page);
const [own, other] = [() => sandbox().stores[0], () => sandbox().stores[1]];
const protectedPages = (): string[] =>
  builtPages()
    .filter(isProtected)
    .map((page) => pageIn(page, own().id));
/** Names that appear only on the merchant's or the operator's own pages. */
const NAMES = (): string[] => [own().name, sandbox().merchants[0].email];

const SUBREQUESTS = ['middleware', 'src/middleware', 'proxy', 'src/proxy', 'pages/_middleware'].flatMap((name) => [
  name,
  Array.from({ length: 5 }, () => name).join(':'),
]);
const INTERNAL: Record<string, string>[] = [
  { 'x-nextjs-data': '1' },
  { 'x-nextjs-redirect': '/operator', 'x-nextjs-rewrite': '/operator' },
  { 'x-middleware-rewrite': '/operator', 'x-middleware-next': '1' },
  { 'x-middleware-override-headers': 'cookie', 'x-middleware-request-cookie': 'stabletill-login=x' },
  { 'x-middleware-skip': '1', 'x-middleware-prefetch': '1' },
  {
    'x-invoke-path': '/operator',
    'x-invoke-status': '200',
    'x-invoke-output': '/operator',
    'x-invoke-query': '%7B%7D',
  },
  { 'x-matched-path': '/operator', 'x-now-route-matches': '1=a' },
];

test('N-01: no value of x-middleware-subrequest opens a page or removes its policy', async ({ baseURL }) => {
  for (const page of [...protectedPages(), '/login', '/status']) {
    const plain = decision(await raw(base(baseURL), page));
    expect([page, plain.hasPolicy, plain.isFramed]).toEqual([page, true, false]);
    if (page.startsWith('/dashboard') || page.startsWith('/operator')) {
      expect([page, plain.status]).toEqual([page, 307]);
      expect(plain.to).toMatch(/^\/login\?callbackUrl=/);
    }
    for (const value of SUBREQUESTS)
      expect([page, value, decision(await raw(base(baseURL), page, { 'x-middleware-subrequest': value }))]).toEqual([
        page,
        value,
        plain,
      ]);
  }
  for (const at of ['/api/dashboard/me', '/api/dashboard/operator/audit/check', '/api/v1/refunds'])
    for (const value of SUBREQUESTS)
      expect((await raw(base(baseURL), at, { 'x-middleware-subrequest': value })).status).toBe(401);
});

test('N-03: every page refuses a posted body, and the build has no Server Action', async ({ request }) => {
  const flight = { '1_$ACTION_REF_1': '', '1_$ACTION_1:0': '{"id":"x","bound":null}', '0': '["$K1"]' };
  for (const page of builtPages().map((one) => pageIn(one, own().id)))
    for (const sent of [
      { headers: { 'next-action': '40'.repeat(21) }, data: '["$K1"]' },
      { headers: { 'next-action': 'x' }, multipart: flight },
      { multipart: { ...flight, '1': '{"then":"$1:__proto__:then","status":"resolved_model","value":"{}"}' } },
      { headers: { 'content-type': 'text/x-component' }, data: '0:{"then":"$@1"}' },
    ]) {
      const answer = await request.post(page, { ...sent, maxRedirects: 0 });
      expect([page, answer.status()]).toEqual([page, 405]);
    }
});

test('N-05: no other spelling of a page’s address shows its content', async ({ baseURL, request }) => {
  const forms = (page: string): [string, Record<string, string>][] => [
    [`${page}.rsc`, {}],
    [`${page}.prefetch.rsc`, {}],
    [`${page}.txt`, {}],
    [`${page}?_rsc=abc12`, { rsc: '1' }],
    [`${page}?_rsc=abc12`, { rsc: '1', 'next-router-prefetch': '1' }],
    [`${page}?_rsc=abc12`, { rsc: '1', 'next-router-prefetch': '1', 'next-router-segment-prefetch': '/_tree' }],
    [`${page}?_rsc=abc12`, { rsc: '1', 'next-router-segment-prefetch': '/__PAGE__' }],
    [`${page}.segments/_tree.segment.rsc`, { rsc: '1' }],
    [`${page}.segments/__PAGE__.segment.rsc`, {}],
    [`/_next/data/build${page}.json`, { 'x-nextjs-data': '1' }],
    [`${page}/`, {}],
    [`${page}/index`, {}],
  ];
  const build = /"b":"([\w-]{8,})"/.exec(await (await request.get('/login')).text())?.[1];
  for (const page of protectedPages()) {
    for (const [at, headers] of [
      ...forms(page),
      ...(build === undefined ? [] : [[`/_next/data/${build}${page}.json`, {}] as const]),
    ]) {
      const { status, text } = await raw(base(baseURL), at, headers);
      expect([at, headers, [307, 308, 404].includes(status)]).toEqual([at, headers, true]);
      for (const name of NAMES()) expect(text).not.toContain(name);
    }
  }
});

test('N-06: an unusually written address is authorized as its canonical form', async ({ baseURL }) => {
  const [mine, theirs] = [own().id, other().id];
  const cookie = await cookieOf(await signedIn(base(baseURL), sandbox().merchants[0]));
  const at = (place: string) => raw(base(baseURL), place, { cookie });
  expect((await at(`/dashboard/${mine}/test/overview`)).text).toContain(own().name);
  const pages = [
    `/dashboard/${theirs}/test/overview`,
    `/dashboard/${mine}%2F..%2F${theirs}/test/overview`,
    `/dashboard/${mine}/../${theirs}/test/overview`,
    `/dashboard/${mine}/%2e%2e/${theirs}/test/overview`,
    `/dashboard/%2e%2e/dashboard/${theirs}/test/overview`,
    `/dashboard//${theirs}/test/overview`,
    `/dashboard/${theirs}%3F/test/overview`,
    `/dashboard/${theirs}%23/test/overview`,
    `/dashboard/${theirs}%20/test/overview`,
    `/dashboard/${theirs}%00/test/overview`,
    `/dashboard/${theirs}.rsc/test/overview`,
    `/dashboard/${mine}\\..\\${theirs}/test/overview`,
    `/dashboard/${theirs}/test/payments/x?nxtPstore_id=${mine}`,
    `/dashboard/${mine}/test%2F..%2F..%2F${theirs}%2Ftest/overview`,
    `/dashboard/${mine}/test/payments/..%2F..%2F..%2F${theirs}`,
    `/operator/stores/${theirs}`,
  ];
  for (const place of pages) {
    const response = await at(place);
    expect([place, [400, 404].includes(response.status)]).toEqual([place, true]);
    expect(response.text).not.toContain(other().name);
  }
  // Parameters that only resemble Next's own change nothing.
  for (const query of [`nxtPstore_id=${theirs}`, `store_id=${theirs}`, `nxtPstore_id=${theirs}&nxtPenvironment=live`]) {
    const response = await at(`/dashboard/${mine}/test/overview?${query}`);
    expect(response.status).toBe(200);
    expect(response.text).toContain(own().name);
    expect(response.text).not.toContain(other().name);
  }
  for (const place of [theirs, `${mine}%2F..%2F${theirs}`, `${mine}/../${theirs}`, `..%2Fstores%2F${theirs}`])
    expect([place, (await at(`/api/dashboard/stores/${place}/test/exports/payments`)).status]).toEqual([place, 404]);
});

test('N-07: Next’s internal headers from outside change no response', async ({ baseURL }) => {
  const cookie = await cookieOf(await signedIn(base(baseURL), sandbox().merchants[0]));
  for (const page of [
    '/',
    '/login',
    '/dashboard',
    '/operator',
    `/dashboard/${own().id}/test/keys`,
    '/docs',
    '/nothing',
  ])
    for (const who of [{}, { cookie }] as Record<string, string>[]) {
      const plain = decision(await raw(base(baseURL), page, who));
      for (const headers of INTERNAL) {
        const response = await raw(base(baseURL), page, { ...who, ...headers });
        expect([page, headers, decision(response)]).toEqual([page, headers, plain]);
        expect(
          Object.keys(response.headers).filter((name) =>
            /^x-(middleware|nextjs-(data|redirect|rewrite)|invoke)/.test(name),
          ),
        ).toEqual([]);
      }
    }
});

test('N-09: a personal page is cached nowhere, neither as a page nor as its data', async ({ baseURL }) => {
  const cookie = await cookieOf(await signedIn(base(baseURL), sandbox().merchants[0]));
  const kept = ({ headers }: RawResponse): boolean => !/\bno-store\b/.test(String(headers['cache-control']));
  for (const page of [
    ...protectedPages(),
    '/login',
    '/two-factor',
    '/reset',
    '/invite',
    '/pay/x',
    '/claim/x',
    '/payout-addresses/stop/x',
    '/status',
  ])
    for (const headers of [{}, { rsc: '1' }] as Record<string, string>[])
      for (const who of [{}, { cookie }] as Record<string, string>[]) {
        const response = await raw(base(baseURL), headers.rsc ? `${page}?_rsc=abc12` : page, { ...headers, ...who });
        expect([page, headers, response.status, kept(response)]).toEqual([page, headers, response.status, false]);
        if (response.status === 200)
          expect([page, String(response.headers['content-type'])]).toEqual([
            page,
            expect.stringContaining(headers.rsc ? 'text/x-component' : 'text/html'),
          ]);
      }
});

test('N-10: a foreign Host header is neither echoed nor contacted', async ({ baseURL }) => {
  let calls = 0;
  const elsewhere = createServer((socket) => {
    calls++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  const host = `localhost:${(elsewhere.address() as AddressInfo).port}`;
  const cookie = await cookieOf(await signedIn(base(baseURL), sandbox().operator));
  for (const page of [
    ...builtPages().map((one) => pageIn(one, own().id)),
    '/status.json',
    '/openapi.json',
    '/v1/x',
    '/api/auth/csrf',
  ])
    for (const who of [{}, { cookie }] as Record<string, string>[]) {
      const forged = {
        host,
        'x-forwarded-host': host,
        'x-forwarded-proto': 'http',
        forwarded: `host=${host}`,
        origin: `http://${host}`,
      };
      const response = await raw(base(baseURL), page, { ...who, ...forged });
      expect([page, response.status < 500]).toEqual([page, true]);
      expect(`${page} ${JSON.stringify(response.headers)} ${response.text}`).not.toContain(host);
    }
  elsewhere.close();
  expect(calls).toBe(0);
});
