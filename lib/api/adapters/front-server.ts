// The HTTP server of the web process: which door each request goes through, how long a slow sender is waited for, and what is
// refused before any door: other protocols, and requests that name no host.

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

/** Slow senders are cut off. */
export const PATIENCE = {
  /** For the headers, and for the whole request. */
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  /** Longer than the usual idle time of a load balancer, so that it is never the server that closes first. */
  keepAliveTimeout: 75_000,
  /** How often the two limits above are looked at; Node's own 30 s would make them twice and three times as long. */
  connectionsCheckingInterval: 1000,
};

/** Far more than any client sends; Node would drop those beyond its own limit of two thousand unseen. */
const MOST_HEADERS = 200;
/** As Node itself answers what is not HTTP, or too much of it. */
const BAD_REQUEST = '400 Bad Request';
const TOO_MANY_HEADERS = '431 Request Header Fields Too Large';

/** The server, not yet listening. */
export function createFrontServer(
  services: Services,
  pages: Pick<Pages, 'answer'>,
  patience: typeof PATIENCE = PATIENCE,
): Server {
  const isOfProxy = untrustedProxyFinder(services.config.TRUSTED_PROXIES);
  const isTls = services.config.PUBLIC_URL.startsWith('https:');
  // Node would drop the second of two Authorization headers, and Next's handlers could not refuse such a request.
  const server = http.createServer({ ...patience, joinDuplicateHeaders: true }, (request, response) => {
    if (namesNoHost(request)) return refuse(request.socket, BAD_REQUEST);
    if (request.rawHeaders.length > 2 * MOST_HEADERS) return refuse(request.socket, TOO_MANY_HEADERS);
    if (services.config.SANDBOX_ORIGIN && !isSandboxHost(request, services.config.PUBLIC_URL))
      return refuse(request.socket, MISDIRECTED);
    const proxy = isOfProxy(request);
    if (proxy !== null)
      services.log.warn({ proxy }, 'X-Forwarded-For came from an address that TRUSTED_PROXIES does not name');
    if (isTls) response.setHeader('Strict-Transport-Security', HSTS);
    // The signed API first and by the shortest way: it is what is called thousands of times a second.
    if (services.config.DIRECT_DOOR && isSignedApi(request)) return void answerApi(services, request, response);
    route(services, pages, request, response).catch((error: unknown) => {
      const requestId = newRequestId();
      send(response, errorResponse(services, toServiceError(services, error, requestId), requestId));
    });
  });
  // Nothing here speaks another protocol or reaches other hosts for anybody, and both have been ways to attack.
  server.on('upgrade', (_request, socket) => refuse(socket, BAD_REQUEST));
  server.on('connect', (_request, socket) => refuse(socket, BAD_REQUEST));
  return server;
}

const refuse = (socket: Duplex, status: string): void =>
  void socket.on('error', () => {}).end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);

/** HTTP/1.0 allows that and Node lets it through; only load balancers that ask after our health have a reason to. */
const namesNoHost = (request: IncomingMessage): boolean =>
  request.headers.host === undefined && pathOf(request) !== '/health';

/**
 * The address of a peer that speaks for others without being trusted, once per process: a proxy that the settings forgot makes
 * all its visitors one client. Any stranger can send the header, so it is only a hint.
 */
function untrustedProxyFinder(trusted: readonly string[]): (request: IncomingMessage) => string | null {
  let isToldOf = false;
  return ({ headers, socket }) => {
    if (isToldOf || headers['x-forwarded-for'] === undefined) return null;
    const peer = socket.remoteAddress ?? '';
    if (trusted.length > 0 && isInRanges(peer, trusted)) return null;
    isToldOf = true;
    return peer;
  };
}

/** A year, as preload lists ask for; other names of the domain are not ours to decide about. */
const HSTS = 'max-age=31536000';
const MISDIRECTED = '421 Misdirected Request';
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** A sandbox shows its mails to whoever reaches it, so a website must not reach it by a name that it points at this machine. */
const isSandboxHost = ({ headers }: IncomingMessage, publicUrl: string): boolean =>
  headers.host === undefined || LOOPBACK.test(headers.host) || headers.host === new URL(publicUrl).host;

/** Whether the direct door answers it; dot segments and the cron path are for `route` to decide about. */
function isSignedApi(request: IncomingMessage): boolean {
  const path = pathOf(request);
  return isApiPath(path) && !isCronPath(path) && isCanonical(path);
}

const cronRequest = ({ method = 'GET', headers }: IncomingMessage) => ({
  method,
  authorization: headers.authorization ?? null,
});

/** Other addresses by which Next serves what a page shows; its own pages ask for that by a header. */
const OTHER_FORM = /\.rsc$|\.segments(?:\/|$)/;

/** Which door any other request goes through. */
async function route(
  services: Services,
  pages: Pick<Pages, 'answer'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  const address = () => addressOf(request, services.config.TRUSTED_PROXIES);
  // A target that others would read differently (dot segments, a foreign host) could slip past what is decided here.
  if (!isCanonical(path)) throw new ServiceError('NOT_FOUND');
  if (services.config.DIRECT_DOOR) {
    if (isCronPath(path)) return send(response, await answerCron(services, cronRequest(request)));
    const session = request.method === 'GET' ? /^\/pay\/([^/]+)\/status$/.exec(path) : null;
    if (session) return send(response, await answerPublicStatus(services, session[1] as string, address()));
    // Asked for every few seconds by machines that watch this one.
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
  // The image optimizer has been the door of attacks and no page uses it (architecture: Next.js rules).
  if (path.startsWith('/_next/image') || OTHER_FORM.test(path))
    return send(response, { status: 404, headers: {}, body: '' });
  if (!path.startsWith('/_next/static/')) {
    checkPageRate(services, address());
    // Where Next says nothing of it, as with its own redirects, nobody keeps the answer.
    response.setHeader('Cache-Control', 'no-store');
  }
  // A page brings its own policy, which takes the place of this one; files and exports bring none.
  for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
  const sent = answerSentToPage(request, path);
  if (sent) return send(response, sent);
  dropNextsOwnHeaders(request.headers);
  // Next tells its handlers no peer; they learn the client's address from here and from nobody else.
  request.headers['x-forwarded-for'] = address();
  request.headers[TARGET_HEADER] = request.url ?? '/';
  return pages.answer(request, response);
}
