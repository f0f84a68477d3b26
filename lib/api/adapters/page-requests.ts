// The rules for requests that Next's pages and files answer, in front of Next (front-server.ts) and without our server
// (next-start.ts). Pages accept GET only, count against the limit per address, and the headers by which Next's own parts talk to
// each other never come from outside (N-01, N-03 and N-07 in docs/failure-model.md#nextjs).

import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@/lib/platform/errors/errors';
import { pathOf, type ApiResponse } from '@/lib/platform/http';
import { takePageToken } from '@/lib/api/limits/limits';
import { MethodNotAllowed } from '@/lib/api/routes';
import type { Services } from '@/lib/api/services';

/** Each of these has bypassed the checks of a page. */
const OF_NEXT_ITSELF = /^x-(?:middleware|nextjs|invoke|matched|now)-/;
/** It marks a request for a Server Action, of which there are none. Their parser has been a remote code execution path. */
const ACTION = 'next-action';

/** The paths behind Next that accept a body. They check their own methods. Every other path is a page or a file. */
const TAKES_BODIES = /^\/(?:api|v1)(?:\/|$)/;
/**
 * Forms without sign-in, whose fields are an address and an amount, or none. Without this limit, Next reads ten megabytes before the
 * route refuses them.
 */
const OPEN_FORM =
  /^\/(?:pay\/[^/]+\/(?:refund-address\/give|test-money|receipt\/mail)|claim\/[^/]+\/give|link\/[^/]+\/open|payout-addresses\/stop\/[^/]+\/confirm)$/;
const LARGEST_FORM = 16_384;
const LIKE_API = /^\/(?:api|v1)(?:\/|$)/i;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Other URLs by which Next serves the content of a page. Its own pages request that content with a header. */
const OTHER_FORM = /\.rsc$|\.segments(?:\/|$)/;
/** Built files are the same for every visitor, and a page loads many of them. */
const BUILT_FILE = '/_next/static/';

const NOTHING: ApiResponse = { status: 404, headers: { 'Cache-Control': 'no-store' }, body: '' };

export type PageRequest = {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly header: (name: string) => string | null;
  readonly address: string;
};

/** Whether the request is for a file that `next build` has made. */
export const isBuiltFile = (path: string): boolean => path.startsWith(BUILT_FILE);

/** The response to a request that no page or file may receive; null if one may. Throws ServiceError. */
export async function refusePageRequest(services: Services, request: PageRequest): Promise<ApiResponse | null> {
  const path = pathOf({ url: request.target });
  // The image optimizer has been an attack path in Next, and no page uses it.
  if (path.startsWith('/_next/image') || OTHER_FORM.test(path)) return NOTHING;
  if (!isBuiltFile(path)) await takePageToken(services, request.address);
  return answerSentToPage(request, path);
}

/**
 * Responds to a request that sends something to a page; null for a plain read. A form whose page's scripts did not run is
 * redirected to its page. Throws NOT_FOUND for a path that only resembles an API path, request_too_large for a form without sign-in
 * that none of our pages makes, and METHOD_NOT_ALLOWED for everything else.
 */
function answerSentToPage({ method, target, header }: PageRequest, path: string): ApiResponse | null {
  if (method === 'GET' || method === 'HEAD') return null;
  if (OPEN_FORM.test(path)) {
    // Browsers state the length of a form. Without it the body could have any length.
    if (header('transfer-encoding') !== null || Number(header('content-length') ?? 0) > LARGEST_FORM)
      throw new ServiceError('request_too_large');
    return null;
  }
  if (TAKES_BODIES.test(path)) return null;
  // As for a read: an API path in another spelling does not exist.
  if (LIKE_API.test(path)) throw new ServiceError('NOT_FOUND');
  const isForm = method === 'POST' && header(ACTION) === null && FORM.test(header('content-type') ?? '');
  if (!isForm) throw new MethodNotAllowed(['GET', 'HEAD']);
  return { status: 303, headers: { Location: target, 'Cache-Control': 'no-store' }, body: '' };
}

export function removeInternalNextHeaders(headers: IncomingHttpHeaders): void {
  for (const name of Object.keys(headers)) if (OF_NEXT_ITSELF.test(name) || name === ACTION) delete headers[name];
}
