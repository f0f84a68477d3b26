// The HTTP adapter for Next's route handlers: converts Web requests into neutral ones. It passes the same tests as the direct
// adapter.

import { ServiceError } from '@/lib/platform/errors/errors';
import {
  LARGEST_BODY,
  readCapped,
  SAFE_HEADERS,
  TARGET_HEADER,
  type ApiRequest,
  type ApiResponse,
} from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { answer, errorResponse, toServiceError } from '@/lib/api/answer';
import { clientAddress } from '@/lib/api/client-address';
import type { PublicOperation } from '@/lib/api/public/operations';
import { isQuickStartPath } from '@/lib/api/operations/quick-start';
import { matchPath, withoutLastSlash, type Endpoint, type EndpointMatch } from '@/lib/api/routes';
import type { Services } from '@/lib/api/services';

/** Answers one request to the signed API. `endpoint`: of the route file, null for a path without one. */
export async function answerWeb(services: Services, request: Request, endpoint: Endpoint | null): Promise<Response> {
  try {
    const sent = neutral(request, await readBody(request));
    return toResponse(await answer(services, sent, matchOf(endpoint, sent.path)));
  } catch (error) {
    const requestId = newRequestId();
    const hasBase = isQuickStartPath(new URL(request.url).pathname);
    const refusal = toServiceError(services, error, requestId);
    return toResponse(errorResponse(services, refusal, requestId, { hasBase }));
  }
}

/** The parameters come from the path as it was sent, so that both adapters decode it in the same way. */
function matchOf(endpoint: Endpoint | null, sentPath: string): EndpointMatch | null {
  const params = endpoint && matchPath(endpoint.path, withoutLastSlash(sentPath));
  return endpoint && params && { endpoint, params };
}

/** Answers one request for a public operation. */
export async function answerPublicWeb(
  services: Services,
  request: Request,
  operation: PublicOperation,
): Promise<Response> {
  const path = withoutLastSlash(new URL(request.url).pathname);
  const answered = await operation.handle(services, {
    method: request.method,
    params: matchPath(operation.path, path) ?? {},
    address: clientAddress(request.headers),
    authorization: request.headers.get('authorization'),
    contentType: request.headers.get('content-type') ?? '',
    readBody: async () => (request.body ? readCapped(request.body, LARGEST_BODY) : new Uint8Array(0)),
  });
  return toResponse(answered);
}

export const toResponse = ({ status, headers, body }: ApiResponse): Response =>
  new Response(status === 204 ? null : body, { status, headers: { ...headers, ...SAFE_HEADERS } });

function neutral(request: Request, body: Uint8Array): ApiRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    ...sentTarget(url, request.headers.get(TARGET_HEADER)),
    header: (name) => headerValues(request.headers, name),
    body,
    address: clientAddress(request.headers),
  };
}

/**
 * Path and query as they were sent, which our server sets in a header. On another host any client can send that header, so it
 * counts only if it is equivalent to the path and query that Next received.
 */
function sentTarget(url: URL, header: string | null): Pick<ApiRequest, 'path' | 'query'> {
  const given = { path: url.pathname, query: url.search.slice(1) };
  if (header === null || !header.startsWith('/')) return given;
  const [path = '', ...rest] = header.split('?');
  const query = rest.join('?');
  const isSame =
    path === given.path && new URLSearchParams(query).toString() === new URLSearchParams(given.query).toString();
  return isSame ? { path, query } : given;
}

/**
 * The one header whose value may contain the separator with which Web headers join repeated ones. Two of them become one invalid
 * key here.
 */
const MAY_HOLD_COMMAS = 'idempotency-key';

/** Web headers join repeated ones with a comma and a space, which no value of a signing header can contain. */
function headerValues(headers: Headers, name: string): string[] {
  const value = headers.get(name);
  if (value === null) return [];
  return name === MAY_HOLD_COMMAS ? [value] : value.split(', ');
}

async function readBody(request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array(0);
  const body = await readCapped(request.body, LARGEST_BODY);
  if (body === null) throw new ServiceError('request_too_large');
  return body;
}
