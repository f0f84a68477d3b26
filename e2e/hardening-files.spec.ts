// Rows N of docs/failure-model.md#nextjs against the running product: paths without a page return nothing, and errors
// reveal no details.

import { expect, test } from '@playwright/test';
import { raw } from './http-client';

const base = (baseURL: string | undefined): string => baseURL as string;

test('N-11: there is no image optimizer', async ({ baseURL }) => {
  for (const url of [
    '/icon.svg',
    '%2Ficon.svg',
    'http://127.0.0.1:1/a.png',
    '/a.avif',
    'data:image/svg+xml,x',
    '//evil/x',
  ])
    for (const place of ['/_next/image', '/_next/image/', '/_next//image', '/_next/%69mage'])
      expect((await raw(base(baseURL), `${place}?url=${url}&w=640&q=75`)).status).toBe(404);
});

test('N-12: the server renders no image on request', async ({ request }) => {
  for (const name of ['opengraph-image', 'twitter-image', 'icon', 'apple-icon', 'icon.png', 'favicon.ico'])
    for (const folder of ['', '/pay/x', '/docs', '/receipt/x'])
      expect([folder, name, (await request.get(`${folder}/${name}`)).status()]).toEqual([folder, name, 404]);
});

test('N-14: a failed or missing page reveals nothing else', async ({ baseURL }) => {
  const places = [
    '/nothing',
    '/pay/x',
    '/dashboard/x/y',
    '/pay/%E0%A4%A',
    '/%00',
    '/_next/static/x.js',
    '/docs/x',
    '/docs/errors/x',
  ];
  for (const place of [
    ...places,
    '/pay/x/find',
    '/claim/x',
    '/payout-addresses/stop/x',
    '/receipt/x',
    '/api/dashboard/x',
    '/login?error[]=x&callbackUrl[]=x',
  ]) {
    const { status, headers, text } = await raw(base(baseURL), place);
    expect([place, status < 500]).toEqual([place, true]);
    expect([place, headers['x-powered-by'], headers.server]).toEqual([place, undefined, undefined]);
    expect(text).not.toMatch(/\bat .{1,200}:\d+:\d+|node_modules|\.tsx?\b:|\/work\/|Error: /);
  }
});

test('N-15: source, settings and data are not served', async ({ baseURL }) => {
  const files = [
    '.env',
    '.env.local',
    '.git/config',
    '.git/HEAD',
    'prisma/schema.prisma',
    'package.json',
    'package-lock.json',
  ];
  const built = [
    'next.config.mjs',
    'server.ts',
    'dist/server.mjs',
    '.next/BUILD_ID',
    '.next/server/app-paths-manifest.json',
  ];
  const kept = [
    '.data/secrets.json',
    'secrets.json',
    'sandbox.json',
    'keystore.json',
    'node_modules/next/package.json',
  ];
  for (const file of [...files, ...built, ...kept])
    for (const place of [
      '/',
      '/_next/',
      '/_next/static/',
      '/_next/static/../../',
      '/_next/static/%2e%2e/%2e%2e/',
      '/..%2f',
      '/docs/..%2f..%2f',
    ])
      expect([place + file, (await raw(base(baseURL), place + file)).status]).toEqual([place + file, 404]);
});
