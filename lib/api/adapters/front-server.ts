// The HTTP server of the web process: it selects the adapter for each request, limits the time that a slow sender has, and
// refuses other protocols and requests that name no host.

import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError } from '@/lib/platform/errors/errors';
import { HSTS, isCanonical, pathOf, SAFE_HEADERS, TARGET_HEADER } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { connectionAddress, UNTRUSTED_PROXY, untrustedProxyFinder } from '@/lib/api/client-address';
import { findPublicOperation } from '@/lib/api/public/operations';
import { isApiPath } from '@/lib/api/routes';
import type { Services } from '@/lib/api/services';
import { answerApi, answerPublic, send } from './node-adapter';
import { removeInternalNextHeaders, isBuiltFile, refusePageRequest } from './page-requests';
import type { Pages } from './pages-process';
import { isSandboxPath, forwardToSandbox } from './sandbox-proxy';

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
const MAX_HEADERS = 200;
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
    if (request.rawHeaders.length > 2 * MAX_HEADERS) return refuse(request.socket, TOO_MANY_HEADERS);
    if (services.config.SANDBOX_ORIGIN && !isSandboxHost(request, services.config.PUBLIC_URL))
      return refuse(request.socket, MISDIRECTED);
    const proxy = isOfProxy(request);
    if (proxy !== null) services.log.warn({ proxy }, UNTRUSTED_PROXY);
    if (isTls) response.setHeader(...HSTS);
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
  request.headers.host === undefined && !PROBED.includes(pathOf(request));

const PROBED = ['/health', '/livez', '/readyz'];

const MISDIRECTED = '421 Misdirected Request';
const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** The sandbox shows its mails to every visitor. A website must not reach it by a host name that resolves to this machine. */
const isSandboxHost = ({ headers }: IncomingMessage, publicUrl: string): boolean =>
  headers.host === undefined || LOOPBACK.test(headers.host) || headers.host === new URL(publicUrl).host;

/** Whether the direct adapter answers the request as one to the signed API. `route` handles dot segments. */
function isSignedApi(request: IncomingMessage): boolean {
  const path = pathOf(request);
  return isApiPath(path) && isCanonical(path);
}

/** Selects the adapter for any other request. */
async function route(
  services: Services,
  pages: Pick<Pages, 'answer'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  const { config } = services;
  // Other readers may interpret such a target differently (dot segments, a foreign host), so it could bypass the checks below.
  if (!isCanonical(path)) throw new ServiceError('NOT_FOUND');
  const found = findPublicOperation(request.method ?? 'GET', path);
  // The other process does not know that this one is stopping.
  if (found && (config.DIRECT_DOOR || services.isStopping)) return answerPublic(services, found, request, response);
  if (config.SANDBOX_ORIGIN && isSandboxPath(path)) return forwardToSandbox(config.SANDBOX_ORIGIN, request, response);
  const address = connectionAddress(request, config.TRUSTED_PROXIES);
  const refused = found ? null : await refusePageRequest(services, pageRequest(request, address));
  if (refused) return send(response, refused);
  // Where Next sets no cache header, as on its own redirects, no cache may store the response.
  if (!isBuiltFile(path)) response.setHeader('Cache-Control', 'no-store');
  // A page sets its own policy, which replaces this one. Files and exports set none.
  for (const [name, value] of Object.entries(SAFE_HEADERS)) response.setHeader(name, value);
  removeInternalNextHeaders(request.headers);
  // Next does not give its handlers the peer address. The pages' process hands this one on to them.
  request.headers['x-forwarded-for'] = address;
  request.headers[TARGET_HEADER] = request.url ?? '/';
  return pages.answer(request, response);
}

const pageRequest = ({ method = 'GET', url: target = '/', headers }: IncomingMessage, address: string) => ({
  ...{ method, target, address },
  header: (name: string): string | null => headers[name]?.toString() ?? null,
});
