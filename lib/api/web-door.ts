// The door through Next: Web requests as neutral ones, for any host that runs Next without our server. It passes the same
// tests as the direct door.

import { ServiceError } from '@/lib/errors';
import { LARGEST_BODY, readCapped, type ApiRequest, type ApiResponse } from '@/lib/http';
import { newRequestId } from '@/lib/ids';
import { answer, errorResponse, toServiceError } from './answer';
import type { Services } from './services';

/** Answers one request to the signed API. */
export async function answerWeb(services: Services, request: Request): Promise<Response> {
  try {
    return toResponse(await answer(services, neutral(request, await readBody(request))));
  } catch (error) {
    const requestId = newRequestId();
    const refused = errorResponse(services, toServiceError(services, error, requestId), requestId);
    return toResponse({ ...refused, headers: { ...refused.headers, 'X-Request-Id': requestId } });
  }
}

export const toResponse = ({ status, headers, body }: ApiResponse): Response =>
  new Response(body, { status, headers: { ...headers, 'X-Content-Type-Options': 'nosniff' } });

function neutral(request: Request, body: Uint8Array): ApiRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    header: (name) => headerValues(request.headers, name),
    body,
    // Next tells no peer address; the host in front of it is the only one who knows, and states it here.
    address: request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '',
  };
}

/** Web headers join repeated ones with a comma and a space, which no value of a signing header can hold. */
const headerValues = (headers: Headers, name: string): string[] => headers.get(name)?.split(', ') ?? [];

async function readBody(request: Request): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array(0);
  const body = await readCapped(request.body as unknown as AsyncIterable<Uint8Array>, LARGEST_BODY);
  if (body === null) throw new ServiceError('request_too_large');
  return body;
}
