// Sets the response headers of every page before it is rendered: a Content-Security-Policy with its own nonce, and headers that
// prevent leaks and framing by strangers. It also selects the visitor's language and sets the cookie that later identifies a
// customer's browser. Without server.ts it also refuses what no page may receive. It makes no access decision.

import { randomBytes } from 'node:crypto';
import { NextResponse, type NextRequest } from 'next/server';
import { cookieNames } from '@/lib/merchants/accounts/sign-in/cookie-names';
import { PATH_HEADER } from '@/lib/merchants/accounts/sign-in/return-path';
import { config as settings } from '@/lib/platform/config/config';
import { pool } from '@/lib/platform/database/db';
import { NONCE_HEADER, SAFE_HEADERS, type ApiResponse } from '@/lib/platform/http';
import { isTheme, THEME_HEADER } from '@/lib/i18n/theme';
import { chooseDashboardLocale, isDashboardLocale, isDashboardPath } from '@/lib/i18n/dashboard';
import { chooseDocsLocale, isDocsPath } from '@/lib/i18n/docs';
import {
  chooseLocale,
  LOCALE_HEADER,
  LOCALE_QUERY,
  localeOf,
  type Locale,
  type LocaleWishes,
} from '@/lib/i18n/locales';
import { isTlsUrl, pageCookieName } from '@/lib/platform/security/page-cookies';
import { pagePolicy, previewPolicy, REPORTING_HEADER } from '@/lib/platform/security/page-policy';
import { passGate } from '@/lib/platform/security/request-gate';
import { recordBrowser } from '@/lib/refunds/destination/payer-browser';
import { isMethodName } from '@/lib/payments/checkout/stage';
import { readPayPage, type PayPage } from '@/lib/payments/checkout/pay-page';

/** The API and reports refuse requests themselves. Built files are the same for every visitor and carry no policy. */
export const config = { matcher: ['/((?!api/|api$|v1/|v1$|_next/static/|csp-report$).*)'] };

/** Logos and the shops' script set their own headers. */
const SETS_HEADERS = /^\/(?:logo\/[^/]+|embed\.js)$/;

/** Guides and dashboard have fewer languages than the payment page. */
function localeFor(path: string, wishes: LocaleWishes): Locale {
  if (isDocsPath(path)) return chooseDocsLocale(wishes);
  return isDashboardPath(path) ? chooseDashboardLocale(wishes) : chooseLocale(wishes);
}

/** A preview of a store's branding, framed by the dashboard (app/branding-preview). */
const PREVIEW = '/branding-preview';

const YEAR_SECONDS = 365 * 24 * 3600;

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const { pathname, searchParams } = request.nextUrl;
  const { refusal, isPage } = await passGate(request);
  if (refusal) return refused(request, refusal);
  if (!isPage || SETS_HEADERS.test(pathname)) return NextResponse.next();

  const isTls = isTlsUrl(settings().PUBLIC_URL);
  const nonce = randomBytes(16).toString('base64');
  const paying = await readPaying(request);
  const hosts = paying?.embedOrigins ?? [];
  const isPreview = isUnder(pathname, PREVIEW);
  const isDashboard = isDashboardPath(pathname);
  // A dashboard page keeps its policy while the visitor navigates to the page that holds the preview.
  const policy = isPreview ? previewPolicy(nonce) : pagePolicy(nonce, { hosts, framesOwn: isDashboard });
  const requested = searchParams.get(LOCALE_QUERY);
  const wishes = {
    requested,
    remembered: request.cookies.get(pageCookieName('lang', isTls))?.value ?? null,
    accepted: request.headers.get('accept-language'),
  };
  const locale = localeFor(pathname, wishes);
  const theme = request.cookies.get(pageCookieName('theme', isTls))?.value;
  const headers = new Headers(request.headers);
  headers.set('Content-Security-Policy', policy);
  headers.set(NONCE_HEADER, nonce);
  headers.set(LOCALE_HEADER, locale);
  headers.set(PATH_HEADER, `${pathname}${request.nextUrl.search}`);
  // The other pages use the device's color scheme or the store's.
  headers.set(THEME_HEADER, (isDashboard || isDocsPath(pathname)) && isTheme(theme) ? theme : '');

  const response = NextResponse.next({ request: { headers } });
  response.headers.set('Content-Security-Policy', policy);
  for (const [name, value] of FIXED_HEADERS) response.headers.set(name, value);
  if (isPreview) response.headers.set('X-Frame-Options', 'SAMEORIGIN');
  else if (hosts.length === 0) for (const [name, value] of ALONE_HEADERS) response.headers.set(name, value);
  // A visitor who returns to a payment link's page with the browser's back button sees the submitted form, whose session is the
  // same.
  if (isUnder(pathname, '/link')) response.headers.set('Cache-Control', 'private, no-cache');
  const isUnlisted = isDashboard || UNLISTED.some((folder) => isUnder(pathname, folder));
  if (isUnlisted) response.headers.set('X-Robots-Tag', 'noindex, nofollow');
  if (isDashboard ? isDashboardLocale(requested) : localeOf(requested) !== null) {
    response.cookies.set(pageCookieName('lang', isTls), locale, { ...kept(request, isTls), path: '/' });
  }
  const method = searchParams.get('method');
  // Half a choice, a token without a network, is not remembered.
  if (isUnder(pathname, '/pay') && isMethodName(method) && !searchParams.has('choosing')) {
    response.cookies.set(pageCookieName('method', isTls), method, { ...kept(request, isTls), path: '/pay' });
  }
  const payer = paying && (await payerCookie(request, paying, isTls));
  if (payer) {
    const of = { ...kept(request, isTls), path: `/pay/${paying.sessionId}` };
    response.cookies.set(pageCookieName('payer', isTls), payer, of);
  }
  return response;
}

/** The response without a page. NextResponse accepts absolute locations only, and Next makes them relative again. */
function refused(request: NextRequest, { status, headers, body }: ApiResponse): NextResponse {
  const response = new NextResponse(body === '' ? null : body, { status, headers: { ...headers, ...SAFE_HEADERS } });
  if (headers.Location) response.headers.set('Location', new URL(headers.Location, request.url).href);
  return response;
}

type Paying = PayPage & { readonly sessionId: string };

/** Only for a browser that shows a payment that is still open; not for a program that reads the page. */
async function payerCookie({ headers, cookies }: NextRequest, page: Paying, isTls: boolean): Promise<string | null> {
  const isShown = ['document', 'iframe'].includes(headers.get('sec-fetch-dest') ?? '');
  if (!page.isPending || !isShown) return null;
  const isSignedIn = cookies.has(cookieNames(settings()).sessionToken.name);
  const token = cookies.get(pageCookieName('payer', isTls))?.value;
  return recordBrowser(pool(), page.sessionId, { page, token, isSignedIn });
}

/** For the pages of a session that a browser is about to show; null for everything else. */
async function readPaying({ nextUrl, headers }: NextRequest): Promise<Paying | null> {
  const sessionId = /^\/pay\/([^/]+)(?:\/|$)/.exec(nextUrl.pathname)?.[1];
  // A script's request does not show the page by itself.
  if (sessionId === undefined || headers.get('sec-fetch-dest') === 'empty') return null;
  return { sessionId, ...(await readPayPage(pool(), sessionId)) };
}

/** How long and for whom a choice is remembered. In a shop's frame, browsers keep only a partitioned cookie. */
function kept({ headers }: NextRequest, isTls: boolean) {
  const always = { maxAge: YEAR_SECONDS, httpOnly: true, secure: isTls } as const;
  if (headers.get('sec-fetch-dest') !== 'iframe') return { ...always, sameSite: 'lax' } as const;
  return { ...always, sameSite: 'none', secure: true, partitioned: true } as const;
}

/** Pages that only holders of the link may know about. */
const UNLISTED = ['/pay', '/link', '/claim', '/receipt', PREVIEW] as const;

const isUnder = (pathname: string, folder: string): boolean => pathname === folder || pathname.startsWith(`${folder}/`);

const FIXED_HEADERS = [
  REPORTING_HEADER,
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  [
    'Permissions-Policy',
    'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), browsing-topics=(), clipboard-write=(self)',
  ],
] as const;

/**
 * For pages that no other page may frame. The other pages name the allowed origins in their policy, and talk to the page that
 * opened them.
 */
const ALONE_HEADERS = [
  ['X-Frame-Options', 'DENY'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
] as const;
