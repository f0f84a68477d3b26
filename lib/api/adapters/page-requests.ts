// What of a request Next is given. Pages are asked for and nothing is sent to them; and the headers by which Next's own parts
// talk to each other never come from outside (hardening N-01, N-03, N-07).

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '@/lib/platform/errors/errors';
import { LARGEST_BODY, type ApiResponse } from '@/lib/platform/http';
import { REPORT_PATH } from '@/lib/platform/security/page-policy';
import { MethodNotAllowed } from '@/lib/api/routes';

/** Each has been a way past what a page asks first. */
const OF_NEXT_ITSELF = /^x-(?:middleware|nextjs|invoke|matched|now)-/;
/** With it a request is for a Server Action, of which there are none; their parser has been a way to run code here. */
const ACTION = 'next-action';

/** The paths behind Next that something is sent to; they see to their methods themselves. Everything else is a page or a file. */
const TAKES_BODIES = /^\/(?:api|v1)(?:\/|$)/;
/** Forms of customers, whose fields are an address and an amount; Next would read ten megabytes before the route refuses them. */
const CUSTOMER_FORM =
  /^\/(?:pay\/[^/]+\/(?:refund-address\/give|test-money|receipt\/mail)|claim\/[^/]+\/give|link\/[^/]+\/open)$/;
const LARGEST_FORM = 16_384;
const LIKE_API = /^\/(?:api|v1)(?:\/|$)/i;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * The answer to what is sent to a page; null when it is asked for. A form whose page's scripts did not run is led back to its
 * page. Throws NOT_FOUND for what only looks like a path of the API,
 * request_too_large for a customer's form or a report that no page of ours makes, METHOD_NOT_ALLOWED for all else.
 */
export function answerSentToPage({ method, url = '/', headers }: IncomingMessage, path: string): ApiResponse | null {
  if (method === 'GET' || method === 'HEAD') return null;
  const largest = CUSTOMER_FORM.test(path) ? LARGEST_FORM : path === REPORT_PATH ? LARGEST_BODY : null;
  if (largest !== null) {
    // A browser says how long a form or a report is. What does not say could be of any length.
    const length = headers['content-length'];
    if (headers['transfer-encoding'] !== undefined || Number(length ?? 0) > largest)
      throw new ServiceError('request_too_large');
    return null;
  }
  if (TAKES_BODIES.test(path)) return null;
  // As for whoever asks for it: an API path that is written otherwise is no path.
  if (LIKE_API.test(path)) throw new ServiceError('NOT_FOUND');
  const isForm = method === 'POST' && headers[ACTION] === undefined && FORM.test(headers['content-type'] ?? '');
  if (!isForm) throw new MethodNotAllowed(['GET', 'HEAD']);
  return { status: 303, headers: { Location: url, 'Cache-Control': 'no-store' }, body: '' };
}

/** Takes them off. */
export function dropNextsOwnHeaders(headers: IncomingHttpHeaders): void {
  for (const name of Object.keys(headers)) if (OF_NEXT_ITSELF.test(name) || name === ACTION) delete headers[name];
}
