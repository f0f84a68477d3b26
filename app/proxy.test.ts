// The paths that the proxy runs for, and what it sets on every page: policy, reporting, other headers and cookies.

import fs from 'node:fs';
import path from 'node:path';
import { unstable_doesMiddlewareMatch as doesMatch } from 'next/experimental/testing/server';
import { NextRequest } from 'next/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { config as proxyConfig } from '@/proxy';

const APP = import.meta.dirname;
const ORIGIN = 'https://pay.example';

/** The addresses of all files of this name below app/, with `x` for each parameter. */
const addressesOf = (file: 'page.tsx' | 'route.ts'): string[] =>
  fs
    .readdirSync(APP, { recursive: true, encoding: 'utf8' })
    .filter((found) => path.basename(found) === file)
    .map((found) => `/${path.dirname(found)}`.replaceAll(/\/\([^/]+\)|\/\.(?=\/|$)/g, '').replaceAll(/\[[^/]+\]/g, 'x'))
    .map((found) => (found === '' ? '/' : found));

/** Routes that return no HTML, set their own headers and refuse requests themselves. */
const WITHOUT_PROXY = /^\/(?:api|v1)\/|^\/csp-report$/;

/** Addresses similar to those that the matcher excludes, and unknown addresses. */
const NEIGHBOURS = [
  ...['/logo/x/y', '/logo', '/logo/', '/logox/y', '/embedXjs', '/embed.js/x', '/embed.jsx', '/x/embed.js'],
  ...['/csp-report/x', '/csp-reports', '/csp-report.json', '/apix', '/v1x', '/v10', '/_next', '/_next/staticx'],
  ...['/docs/none', '/docs/errors/NONE', '/none', '/a/b/c', '/pay', '/pay/', '/.well-known/none', '/favicon.ico'],
  ...['/API/x', '/V1/x', '/LOGO/x', '/EMBED.JS', '/CSP-REPORT', '/_NEXT/static/x'],
];

const PREVIEW = '/branding-preview/x/x';

const runsFor = (url: string): boolean => doesMatch({ config: proxyConfig, url: ORIGIN + url });

/** What the proxy sets on a request, under its own PUBLIC_URL. */
async function proxied(at: string, { publicUrl = ORIGIN, headers = {} } = {}) {
  vi.stubEnv('PUBLIC_URL', publicUrl);
  vi.resetModules();
  const { proxy } = await import('@/proxy');
  return proxy(new NextRequest(publicUrl + at, { headers }));
}
afterEach(() => vi.unstubAllEnvs());

describe('the proxy', () => {
  test('runs for every page and every unknown address', () => {
    const pages = addressesOf('page.tsx');
    expect(pages).toEqual(expect.arrayContaining(['/', '/login', '/pay/x', '/dashboard/x/x/keys', '/operator']));
    expect([...pages, ...NEIGHBOURS].filter((url) => !runsFor(url))).toEqual([]);
  });

  test('skips only routes that return no HTML', () => {
    const routes = addressesOf('route.ts');
    expect(routes.filter((url) => !runsFor(url))).toEqual(routes.filter((url) => WITHOUT_PROXY.test(url)));
  });

  test('sets the policy with a new nonce and where to report violations on every page', async () => {
    const nonces = new Set<string>();
    const pages = [...addressesOf('page.tsx'), ...NEIGHBOURS].filter((url) => url !== PREVIEW);
    for (const url of pages) {
      const { headers } = await proxied(url);
      const policy = headers.get('content-security-policy') ?? '';
      const [, nonce] = /script-src 'self' 'nonce-([^']{24})' 'strict-dynamic'/.exec(policy) ?? [];
      nonces.add(nonce as string);
      for (const part of [`default-src 'none'`, `frame-ancestors 'none'`, 'report-uri /csp-report', 'report-to csp'])
        expect([url, policy.split('; ')]).toEqual([url, expect.arrayContaining([part])]);
      expect([url, headers.get('reporting-endpoints')]).toEqual([url, 'csp="/csp-report"']);
      expect([url, headers.get('cross-origin-opener-policy')]).toEqual([url, 'same-origin']);
      expect([url, headers.get('cross-origin-resource-policy')]).toEqual([url, 'same-origin']);
      expect([url, headers.get('x-content-type-options')]).toEqual([url, 'nosniff']);
    }
    expect(nonces.size).toBe(pages.length);
  }, 240_000);

  test.each(['/logo/x', '/embed.js'])('leaves the headers of %s to its route', async (url) => {
    expect([...(await proxied(url)).headers.keys()]).toEqual(['x-middleware-next']);
  });

  test('lets only this origin frame the preview of a branding, which runs no script and sends no form', async () => {
    const { headers } = await proxied(PREVIEW);
    const policy = (headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "frame-ancestors 'self'", "form-action 'none'"]),
    );
    expect(policy.filter((part) => /^(script|connect|frame)-src/.test(part))).toEqual([]);
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow');
  });

  test('lets pages of the dashboard frame this origin, and no other page frame anything', async () => {
    const frames = async (url: string) =>
      /frame-src [^;]*/.exec((await proxied(url)).headers.get('content-security-policy') ?? '');
    expect((await frames('/dashboard/x/branding'))?.[0]).toBe("frame-src 'self'");
    for (const url of ['/', '/pay/x', '/receipt/x', '/docs']) expect([url, await frames(url)]).toEqual([url, null]);
  });

  test.each([
    ['/login?lang=es', '__Host-lang=es', 'lang=es'],
    ['/pay/x?method=bsc-USDT', '__Secure-method=bsc-USDT', 'method=bsc-USDT'],
  ])('%s sets a prefixed, secure cookie over https and a plain one over http', async (url, secure, plain) => {
    const [overTls] = (await proxied(url)).headers.getSetCookie();
    expect(overTls).toMatch(new RegExp(`^${secure};.*\\bSecure\\b`));
    expect(overTls).toContain('HttpOnly');
    expect(overTls).not.toContain('Domain');
    const [local] = (await proxied(url, { publicUrl: 'http://127.0.0.1:3000' })).headers.getSetCookie();
    expect(local).toMatch(new RegExp(`^${plain};`));
    expect(local).not.toContain('Secure');
  });

  test('reads a cookie only under the name that it sets', async () => {
    const locale = async (cookie: string, publicUrl?: string) => {
      const response = await proxied('/', { headers: { cookie }, ...(publicUrl ? { publicUrl } : {}) });
      return response.headers.get('x-middleware-request-x-page-locale');
    };
    expect(await locale('__Host-lang=es')).toBe('es');
    expect(await locale('lang=es')).toBe('en');
    expect(await locale('lang=es', 'http://127.0.0.1:3000')).toBe('es');
  });
});
