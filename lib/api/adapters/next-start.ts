// What server.ts does in front of Next, for `next start` without it: the client's address, the canonical paths, the rules for
// requests to pages, the security headers, and the hosted page without the framework's scripts. Node publishes each request on a
// diagnostics channel before the server's own listener runs. Nothing of Next is replaced.

import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import compression from 'compression';
import { ServiceError } from '@/lib/platform/errors/errors';
import { warmPrismaLater } from '@/lib/platform/database/prisma';
import { newRequestId } from '@/lib/platform/ids';
import { HSTS, isCanonical, pathOf, rawHeaderValues, SAFE_HEADERS, TARGET_HEADER } from '@/lib/platform/http';
import { setRequestGate, type Gated, type RequestGate } from '@/lib/platform/security/request-gate';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import {
  clientAddress,
  clientHeader,
  connectionAddress,
  UNTRUSTED_PROXY,
  untrustedProxyFinder,
} from '@/lib/api/client-address';
import { findPublicOperation } from '@/lib/api/public/operations';
import { isApiPath } from '@/lib/api/routes';
import { services as openedServices, type Services } from '@/lib/api/services';
import { offerSetup, refuseUnsafeStart } from '@/lib/api/start-web';
import { removeInternalNextHeaders, isBuiltFile, refusePageRequest } from './page-requests';
import { bufferPage, isSentWithoutFramework } from './without-framework';

const STARTED = 'http.server.request.start';
type Started = { readonly request: IncomingMessage; readonly response: ServerResponse };

/** A path of the API without an operation: NOT_FOUND in the error envelope, as server.ts answers a path that is not canonical. */
const NOWHERE = '/api';

/** A start takes less than a second. */
const RETRY_SECONDS = 1;

const shared = globalThis as unknown as { stabletillIsBehindServer?: true };

/** For the pages' process: server.ts has applied the rules before it passes a request on. */
export function startBehindServer(): void {
  shared.stabletillIsBehindServer = true;
}

/**
 * Applies the rules to every request of this process from now on, unless server.ts is in front of it. Ends the process when it
 * cannot: Next would go on and answer each request with an error. The link to the first set-up is made here and not in server.ts,
 * because Prisma would make every promise of that process slower, and so the signed API.
 */
export async function startNext(): Promise<void> {
  try {
    const services = openedServices();
    if (!shared.stabletillIsBehindServer) {
      acceptConnections(services);
      await refuseUnsafeStart(services);
    }
    void offerSetup(services);
    warmPrismaLater(services.pool);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}

function acceptConnections(services: Services): void {
  const { config, log } = services;
  const isOfProxy = untrustedProxyFinder(config.TRUSTED_PROXIES);
  const isTls = config.PUBLIC_URL.startsWith('https:');
  const compress = compression();
  setRequestGate(gateOf(services));
  subscribe(STARTED, (message) => {
    const { request, response } = message as Started;
    const proxy = isOfProxy(request);
    if (proxy !== null) log.warn({ proxy }, UNTRUSTED_PROXY);
    if (isTls) response.setHeader(...HSTS);
    fillHeaders(response, isBuiltFile(pathOf(request)) ? {} : { 'Cache-Control': 'no-store' });
    compress(request, response, () => {
      if (isSentWithoutFramework(request)) bufferPage(response);
    });
    receive(request, connectionAddress(request, config.TRUSTED_PROXIES));
  });
}

/** Writes the headers that only accepting code may set, and replaces what the client sent under their names. */
function receive(request: IncomingMessage, address: string): void {
  const { headers, rawHeaders } = request;
  removeInternalNextHeaders(headers);
  // Node drops the second of two Authorization headers, and then the handlers could not refuse such a request.
  if (headers.authorization !== undefined)
    headers.authorization = rawHeaderValues(rawHeaders, 'authorization').join(', ');
  Object.assign(headers, clientHeader(address), { 'x-forwarded-for': address });
  headers[TARGET_HEADER] = request.url ?? '/';
  // Next would redirect to the path as it reads it.
  if (!isCanonical(pathOf(request))) request.url = NOWHERE;
}

/** Sets the headers of a response that it does not set itself, when it begins. Next keeps a header that is set earlier. */
function fillHeaders(response: ServerResponse, more: Readonly<Record<string, string>>): void {
  const begin = response.writeHead.bind(response) as (...given: unknown[]) => ServerResponse;
  response.writeHead = (...given: unknown[]) => {
    for (const [name, value] of Object.entries({ ...SAFE_HEADERS, ...more }))
      if (!response.hasHeader(name)) response.setHeader(name, value);
    return begin(...given);
  };
}

/**
 * The signed API and the public operations have limits of their own. A request without an address came before the start was
 * complete, and no rule was applied to it.
 */
const gateOf =
  (services: Services): RequestGate =>
  async ({ method, headers }) => {
    const address = clientAddress(headers);
    if (address === '') return refuse(services, new ServiceError('SERVICE_UNAVAILABLE', { retryAfter: RETRY_SECONDS }));
    const target = headers.get(TARGET_HEADER) ?? '/';
    const path = pathOf({ url: target });
    if (isApiPath(path) || findPublicOperation(method, path)) return { refusal: null, isPage: false };
    try {
      const request = { method, target, address, header: (name: string) => headers.get(name) };
      return { refusal: await refusePageRequest(services, request), isPage: true };
    } catch (error) {
      return refuse(services, error);
    }
  };

function refuse(services: Services, error: unknown): Gated {
  const requestId = newRequestId();
  return { refusal: errorResponse(services, toServiceError(services, error, requestId), requestId), isPage: true };
}
