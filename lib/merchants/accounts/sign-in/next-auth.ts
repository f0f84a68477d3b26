// The adapter to next-auth. It passes only the parts that the service uses, only from the service's own pages, and with the
// public address of the settings whatever the request says. A refusal becomes its code, on the sign-in page or as JSON.

import NextAuth from 'next-auth';
import type { Context } from '@/lib/platform/context';
import { ERROR_CODES, ServiceError, type ErrorCode } from '@/lib/platform/errors/errors';
import { readCapped } from '@/lib/platform/http';
import { parseJsonObject } from '@/lib/platform/json/json';
import { authOptions } from './auth-options';
import { knownDevice, knownDeviceCookie } from './known-device';
import { checkOrigin } from '@/lib/merchants/accounts/origin';

/** Requests of next-auth's browser code and of its plain form. `session` would only prolong a cookie. */
const TAKEN = new Set(['GET csrf', 'GET providers', 'POST callback/credentials', 'POST signout']);
const LARGEST_FORM = 64 * 1024;

type Sent = { status: number; headers: Map<string, string | string[]>; body: string };

/** Answers one request below /api/auth. `address`: the client's. Throws ServiceError. */
export async function answerAuth(context: Context, request: Request, address: string): Promise<Response> {
  const url = new URL(request.url);
  const path = url.pathname.replace(/^\/api\/auth\//, '');
  if (!TAKEN.has(`${request.method} ${path}`)) throw new ServiceError('NOT_FOUND');
  if (request.method === 'POST') checkOrigin(context.config, (name) => request.headers.get(name));
  const body = await readForm(request);
  const sent: Sent = { status: 200, headers: new Map(), body: '' };
  const { host, protocol } = new URL(context.config.PUBLIC_URL);
  let signedIn: string | null = null;
  const options = authOptions(context, (userId) => (signedIn = userId));
  const handle = NextAuth(options) as (request: object, response: object) => Promise<unknown>;
  await handle(
    {
      method: request.method,
      query: { nextauth: path.split('/') },
      body,
      cookies: cookiesOf(request.headers.get('cookie') ?? ''),
      headers: {
        host,
        'x-forwarded-host': host,
        'x-forwarded-proto': protocol.slice(0, -1),
        cookie: request.headers.get('cookie') ?? '',
        'user-agent': request.headers.get('user-agent') ?? '',
        'x-client-address': address,
      },
    },
    responseOn(sent),
  );
  const answer = toAnswer(context, sent, body);
  const former = knownDevice(context.config, request.headers.get('cookie') ?? undefined);
  if (signedIn !== null) answer.headers.append('Set-Cookie', knownDeviceCookie(context.config, signedIn, former));
  return answer;
}

/** The part of a Node response that next-auth writes to. */
function responseOn(sent: Sent) {
  const response = {
    status: (status: number) => {
      sent.status = status;
      return response;
    },
    getHeader: (name: string) => sent.headers.get(name.toLowerCase()),
    setHeader: (name: string, value: string | string[]) => {
      sent.headers.set(name.toLowerCase(), value);
      return response;
    },
    send: (value: unknown) => {
      sent.body = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
    },
    json: (value: unknown) => {
      sent.headers.set('content-type', 'application/json');
      sent.body = JSON.stringify(value);
    },
    end: () => undefined,
  };
  return response;
}

function toAnswer({ config }: Context, sent: Sent, form: Record<string, unknown>): Response {
  const headers = new Headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
  for (const [name, values] of sent.headers)
    if (name !== 'location') for (const value of [values].flat()) headers.append(name, value);
  const asJson = sent.headers.get('content-type') === 'application/json';
  const target = asJson && form.json === 'true' ? urlIn(sent.body) : (sent.headers.get('location') ?? null);
  if (typeof target !== 'string') return new Response(sent.body, { status: sent.status, headers });
  const code = refusalIn(target);
  const place = code === null ? placeOf(target, config.PUBLIC_URL) : `${config.PUBLIC_URL}/login?error=${code}`;
  if (asJson) {
    const status = code === null ? 200 : ERROR_CODES[code].status;
    return new Response(JSON.stringify({ url: place, error: code }), { status, headers });
  }
  headers.set('Location', place);
  return new Response(null, { status: 303, headers });
}

const urlIn = (body: string): string | null => (JSON.parse(body) as { url?: string }).url ?? null;

/** The code of a refused sign-in, which next-auth carries in the address of its error page. */
function refusalIn(target: string): ErrorCode | null {
  const { searchParams } = new URL(target, 'http://page.invalid');
  if (searchParams.has('csrf')) return 'origin_refused';
  const error = searchParams.get('error');
  if (error === null) return null;
  return Object.hasOwn(ERROR_CODES, error) ? (error as ErrorCode) : 'sign_in_failed';
}

/** next-auth falls back to a made-up origin, so only the path counts. */
function placeOf(target: string, publicUrl: string): string {
  const url = new URL(target, publicUrl);
  return `${publicUrl}${url.pathname}${url.search}${url.hash}`;
}

async function readForm(request: Request): Promise<Record<string, unknown>> {
  if (!request.body) return {};
  const bytes = await readCapped(request.body, LARGEST_FORM);
  if (bytes === null) throw new ServiceError('request_too_large');
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type === 'application/json') return parseJsonObject(bytes);
  if (type === 'application/x-www-form-urlencoded')
    return Object.fromEntries(new URLSearchParams(bytes.toString('utf8')));
  throw new ServiceError('unsupported_media_type');
}

/** Null prototype and first value: a second cookie of the same name changes nothing. */
function cookiesOf(header: string): Record<string, string> {
  const cookies = Object.create(null) as Record<string, string>;
  for (const part of header.split(';')) {
    const [name = '', ...rest] = part.split('=');
    const value = rest.join('=').trim();
    if (name.trim() !== '' && !(name.trim() in cookies)) cookies[name.trim()] = decoded(value);
  }
  return cookies;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch (error) {
    if (error instanceof URIError) return value;
    throw error;
  }
}
