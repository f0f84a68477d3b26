// What every page answers with, before it is drawn: a Content-Security-Policy with a nonce of its own, the headers that keep
// a page from leaking or being framed, and the visitor's language. Nobody is let in or kept out here.

import { randomBytes } from 'node:crypto';
import { NextResponse, type NextRequest } from 'next/server';
import { chooseLocale, isLocale, LOCALE_COOKIE, LOCALE_HEADER, LOCALE_QUERY } from '@/lib/i18n/locales';
import { isMethodName, METHOD_COOKIE } from '@/lib/sessions/checkout-stage';

/** The API answers for itself; built files are the same for everybody and carry no policy. */
export const config = { matcher: ['/((?!api/|api$|v1/|v1$|_next/static/).*)'] };

const YEAR_SECONDS = 365 * 24 * 3600;

export function proxy(request: NextRequest): NextResponse {
  const { pathname, searchParams } = request.nextUrl;
  // The image optimizer has been the door of attacks and no page uses it (architecture: Next.js rules).
  if (pathname === '/_next/image') return new NextResponse(null, { status: 404 });

  const policy = contentSecurityPolicy(randomBytes(16).toString('base64'));
  const asked = searchParams.get(LOCALE_QUERY);
  const locale = chooseLocale({
    asked,
    remembered: request.cookies.get(LOCALE_COOKIE)?.value ?? null,
    accepted: request.headers.get('accept-language'),
  });
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  // The documentation is written in English only, so its pages say so.
  headers.set(LOCALE_HEADER, isUnder(pathname, '/docs') ? 'en' : locale);

  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  for (const [name, value] of FIXED_HEADERS) response.headers.set(name, value);
  if (UNLISTED.some((folder) => isUnder(pathname, folder))) response.headers.set('X-Robots-Tag', 'noindex, nofollow');
  if (isLocale(asked)) {
    response.cookies.set(LOCALE_COOKIE, asked, { path: '/', maxAge: YEAR_SECONDS, sameSite: 'lax', httpOnly: true });
  }
  const method = searchParams.get('method');
  if (isUnder(pathname, '/pay') && isMethodName(method)) {
    response.cookies.set(METHOD_COOKIE, method, {
      path: '/pay',
      maxAge: YEAR_SECONDS,
      sameSite: 'lax',
      httpOnly: true,
    });
  }
  return response;
}

/** What only who has the link may know of. */
const UNLISTED = ['/pay', '/claim', '/receipt'] as const;

const isUnder = (pathname: string, folder: string): boolean => pathname === folder || pathname.startsWith(`${folder}/`);

const FIXED_HEADERS = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  [
    'Permissions-Policy',
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), browsing-topics=(), clipboard-write=(self)',
  ],
] as const;

/** `strict-dynamic` lets the scripts that carry the nonce load their own chunks; everything else comes from here or not at all. */
const contentSecurityPolicy = (nonce: string): string =>
  [
    `default-src 'none'`,
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
  ].join('; ');
