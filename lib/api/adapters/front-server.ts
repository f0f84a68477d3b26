// The HTTP server of the web process: it selects the adapter for each request, limits the time that a slow sender has, and
// refuses other protocols and requests that name no host.

import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { isInRanges } from '@/lib/merchants/api-keys/verify-key';
import { ServiceError } from '@/lib/platform/errors/errors';
import { healthAnswer } from '@/lib/platform/health';
import { SAFE_HEADERS, TARGET_HEADER } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { REPORT_PATH } from '@/lib/platform/security/page-policy';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { answerCron, isCronPath } from '@/lib/api/cron';
import { addressOf, answerApi, answerReport, isCanonical, pathOf, send } from './node-adapter';
import { answerOpenApi } from '@/lib/api/openapi/serve';
import type { Pages } from './pages-process';
import { answerSentToPage, dropNextsOwnHeaders } from './page-requests';
import { answerPublicStatus, checkPageRate } from '@/lib/api/public/session-status';
import { isApiPath } from '@/lib/api/routes';
import { isSandboxPath, passToSandbox } from './sandbox-proxy';
import type { Services } from '@/lib/api/services';
import { answerMetrics, answerStatus } from '@/lib/api/public/status';

/** Timeouts that cut off slow senders. */
export const TIMEOUTS = {
  /** For the headers, and for the whole request. */
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  /** Longer than the usual idle timeout of a load balancer, so that the server never closes a connection first. */
  keepAliveTimeout: 75_000,
  /** How often Node checks the two limits above. Its default of 30 s would double and triple them. */
  connectionsCheckingInterval: 1000,
};

/** Far more headers than any client sends. Node drops those above its own limit of two thousand silently. */
const MOST_HEADERS = 200;
/** The response that Node itself gives to what is not HTTP, or to too many headers. */
const BAD_REQUEST = '400 Bad Request';
const TOO_MANY_HEADERS = '431 Request Header Fields Too Large';

/** Returns the server, not yet listening. */
export function createFrontServer(
  services: Services,
  pages: Pick<Pages, 'answer'>,
  timeouts: typeof TIMEOUTS = TIMEOUTS,
): Server {
  const isOfProxy = untrustedProxyFinder(services.config.TRUSTED_PROXIES);
  const isTls = services.config.PUBLIC_URL.startsWith('https:');
  // Without this, Node drops the second of two Authorization headers, and Next's handlers cannot refuse such a request.
  const server = http.createServer({ ...timeouts, joinDuplicateHeaders: true }, (request, response) => {
    if (namesNoHost(request)) return refuse(request.socket, BAD_REQUEST);
    if (request.rawHeaders.length > 2 * MOST_HEADERS) return refuse(request.socket, TOO_MANY_HEADERS);
    if (services.config.SANDBOX_ORIGIN && !isSandboxHost(request, services.config.PUBLIC_URL))
      return refuse(request.socket, MISDIRECTED);
    const proxy = isOfProxy(request);
    if (proxy !== null)
      services.log.warn({ proxy }, 'X-Forwarded-For came from an address that TRUSTED_PROXIES does not name');
    if (isTls) response.setHeader('Strict-Transport-Security', HSTS);
    // The signed API comes first and takes the shortest path, because it gets thousands of requests a second.
    if (services.config.DIRECT_DOOR && isSignedApi(request)) return void answerApi(services, request, response);
    route(services, pages, request, response).catch((error: unknown) => {
      const requestId = newRequestId();
      send(response, errorResponse(services, toServiceError(services, error, requestId), requestId));
    });
  });
  // The server speaks no other protocol and is no forward proxy. Both are known attack paths.
  server.on('upgrade', (_request, socket) => refuse(socket, BAD_REQUEST));
  server.on('connect', (_request, socket) => refuse(socket, BAD_REQUEST));
  return server;
}

const refuse = (socket: Duplex, status: string): void =>
  void socket.on('error', () => {}).end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);

/**
 * HTTP/1.0 allows a request without a host, and Node accepts it. Only load balancers that check our health have a reason to send
 * one.
 */
const namesNoHost = (request: IncomingMessage): boolean =>
  request.headers.host === undefined && pathOf(request) !== '/health';

/**
 * Returns, once per process, the address of a peer that sends X-Forwarded-For without being trusted. A proxy missing from the
 * settings makes all its visitors one client. Any stranger can send the header, so this is only a hint.
 */
function untrustedProxyFinder(trusted: readonly string[]): (request: IncomingMessage) => string | null {
  let isReported = false;
  return ({ headers, socket }) => {
    if (isReported || headers['x-forwarded-for'] === undefined) return null;
    const peer = socket.remoteAddress ?? '';
    if (trusted.length > 0 && isInRanges(peer, trusted)) return null;
    isReported = true;
    return peer;
  };
}

/** A year, as preload lists require. Other names of the domain are outside our control. */
const HSTS = 'max-age=31536000';
const MISDIRECTED = '421 Misdirected Request';
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** The sandbox shows its mails to every visitor. A website must not reach it by a host name that resolves to this machine. */
const isSandboxHost = ({ headers }: IncomingMessage, publicUrl: string): boolean =>
  headers.host === undefined || LOOPBACK.test(headers.host) || headers.host === new URL(publicUrl).host;

/** Whether the direct adapter answers the request. `route` handles dot segments and the cron path. */
function isSignedApi(request: IncomingMessage): boolean {
  const path = pathOf(request);
  return isApiPath(path) && !isCronPath(path) && isCanonical(path);
}

const cronRequest = ({ method = 'GET', headers }: IncomingMessage) => ({
  method,
  authorization: headers.authorization ?? null,
});

/** Other URLs by which Next serves the content of a page. Its own pages request that content with a header. */
const OTHER_FORM = /\.rsc$|\.segments(?:\/|$)/;

/** Selects the adapter for any other request. */
async function route(
  services: Services,
  pages: Pick<Pages, 'answer'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  const address = () => addressOf(request, services.config.TRUSTED_PROXIES);
  // Other readers may interpret such a target differently (dot segments, a foreign host), so it could bypass the checks below.
  if (!isCanonical(path)) throw new ServiceError('NOT_FOUND');
  if (services.config.DIRECT_DOOR) {
    if (isCronPath(path)) return send(response, await answerCron(services, cronRequest(request)));
    const session = request.method === 'GET' ? /^\/pay\/([^/]+)\/status$/.exec(path) : null;
    if (session) return send(response, await answerPublicStatus(services, session[1] as string, address()));
    // Monitoring machines request it every few seconds.
    if (path === '/metrics' && request.method === 'GET')
      return send(response, await answerMetrics(services, request.headers.authorization ?? null));
    if (path === '/status.json' && request.method === 'GET')
      return send(response, await answerStatus(services, address()));
    if (path === REPORT_PATH) return answerReport(services, request, response);
    if (path === '/openapi.json' && request.method === 'GET') return send(response, answerOpenApi(services, address()));
  }
  if (path === '/health') return send(response, await healthAnswer(services));
  if (services.config.SANDBOX_ORIGIN && isSandboxPath(path))
    return passToSandbox(services.config.SANDBOX_ORIGIN, request, response);
  // The image optimizer has been an attack path in Next, and no page uses it.
  if (path.startsWith('/_next/image') || OTHER_FORM.test(path))
    return send(response, { status: 404, headers: {}, body: '' });
  if (!path.startsWith('/_next/static/')) {
    checkPageRate(services, address());
    // Where Next sets no cache header, as on its own redirects, no cache may store the response.
    response.setHeader('Cache-Control', 'no-store');
  }
  // A page sets its own policy, which replaces this one. Files and exports set none.
  for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
  const sent = answerSentToPage(request, path);
  if (sent) return send(response, sent);
  dropNextsOwnHeaders(request.headers);
  // Next does not give its handlers the peer address. They read the client's address from this header only.
  request.headers['x-forwarded-for'] = address();
  request.headers[TARGET_HEADER] = request.url ?? '/';
  return pages.answer(request, response);
}
