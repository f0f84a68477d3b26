// Decides which parts of a request Next receives. Pages accept GET only, and the headers by which Next's own parts talk to each
// other never come from outside (N-01, N-03 and N-07 in docs/failure-model.md#nextjs).

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '@/lib/platform/errors/errors';
import { LARGEST_BODY, type ApiResponse } from '@/lib/platform/http';
import { REPORT_PATH } from '@/lib/platform/security/page-policy';
import { MethodNotAllowed } from '@/lib/api/routes';

/** Each of these has bypassed the checks of a page. */
const OF_NEXT_ITSELF = /^x-(?:middleware|nextjs|invoke|matched|now)-/;
/** It marks a request for a Server Action, of which there are none. Their parser has been a remote code execution path. */
const ACTION = 'next-action';

/** The paths behind Next that accept a body. They check their own methods. Every other path is a page or a file. */
const TAKES_BODIES = /^\/(?:api|v1)(?:\/|$)/;
/**
 * Forms of customers, whose fields are an address and an amount. Without this limit, Next reads ten megabytes before the route
 * refuses them.
 */
const CUSTOMER_FORM =
  /^\/(?:pay\/[^/]+\/(?:refund-address\/give|test-money|receipt\/mail)|claim\/[^/]+\/give|link\/[^/]+\/open)$/;
const LARGEST_FORM = 16_384;
const LIKE_API = /^\/(?:api|v1)(?:\/|$)/i;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Responds to a request that sends something to a page; null for a plain read. A form whose page's scripts did not run is
 * redirected to its page. Throws NOT_FOUND for a path that only resembles an API path, request_too_large for a customer's form or
 * a report that none of our pages makes, and METHOD_NOT_ALLOWED for everything else.
 */
export function answerSentToPage({ method, url = '/', headers }: IncomingMessage, path: string): ApiResponse | null {
  if (method === 'GET' || method === 'HEAD') return null;
  const largest = CUSTOMER_FORM.test(path) ? LARGEST_FORM : path === REPORT_PATH ? LARGEST_BODY : null;
  if (largest !== null) {
    // Browsers state the length of a form or a report. Without it the body could have any length.
    const length = headers['content-length'];
    if (headers['transfer-encoding'] !== undefined || Number(length ?? 0) > largest)
      throw new ServiceError('request_too_large');
    return null;
  }
  if (TAKES_BODIES.test(path)) return null;
  // As for a read: an API path in another spelling does not exist.
  if (LIKE_API.test(path)) throw new ServiceError('NOT_FOUND');
  const isForm = method === 'POST' && headers[ACTION] === undefined && FORM.test(headers['content-type'] ?? '');
  if (!isForm) throw new MethodNotAllowed(['GET', 'HEAD']);
  return { status: 303, headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' };
}

export function dropNextsOwnHeaders(headers: IncomingHttpHeaders): void {
  for (const name of Object.keys(headers)) if (OF_NEXT_ITSELF.test(name) || name === ACTION) delete headers[name];
}
