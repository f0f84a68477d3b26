// The forms of our own public pages: only our pages may send them, the answer is a redirect to a page that shows the result, and an
// error is answered like an API error.

import { errorResponse, toServiceError } from '@/lib/api/answer';
import { clientAddress } from '@/lib/api/client-address';
import { callerOf } from '@/lib/api/limits/admission';
import type { Services } from '@/lib/api/services';
import { ServiceError } from '@/lib/platform/errors/errors';
import { readCapped, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { noteSecurity } from '@/lib/platform/security/events';
import type { SecurityKind } from '@/lib/platform/security/kinds';

/** The sealed value and its field's name are far shorter. */
const LARGEST_FORM = 4096;

/** Never throws. `work` gets the fields of a form from our own pages and the client's address, and returns the redirect. */
export async function answerForm(
  services: Services,
  request: Request,
  work: (form: URLSearchParams, client: string) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const client = clientAddress(request.headers);
  try {
    if (!isFromOurPages(request.headers, services.config.PUBLIC_URL)) throw foreignForm();
    return await work(await readForm(request), client);
  } catch (error) {
    const requestId = newRequestId();
    const refusal = toServiceError(services, error, requestId);
    noteRefused(services, refusal, client);
    return errorResponse(services, refusal, requestId);
  }
}

/** Runs work in one of the places for requests. Throws SERVICE_UNAVAILABLE while all are taken. */
export async function inAPlace<T>(services: Services, client: string, work: () => Promise<T>): Promise<T> {
  const caller = callerOf(client);
  services.admission.enter(caller);
  try {
    return await work();
  } finally {
    services.admission.leave(caller);
  }
}

/**
 * Browsers that report the origin of a form must report ours. Others send `null` or nothing, because our pages send no referrer.
 * Their forms are verified by the seal.
 */
export function isFromOurPages(headers: Headers, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin === null || origin === 'null' || origin === new URL(publicUrl).origin;
}

/** Records a refusal of a customer's form if it is a security event. */
function noteRefused(services: Services, refusal: ServiceError, address: string): void {
  if (refusal instanceof FormRefused) noteSecurity(services, { kind: refusal.kind, address });
}

export class FormRefused extends ServiceError {
  readonly kind: SecurityKind;
  constructor(kind: SecurityKind, message: string) {
    super('FORBIDDEN', { message });
    this.kind = kind;
  }
}

/** For a form whose seal is not ours. */
export const foreignForm = (): ServiceError =>
  new FormRefused('csrf_refused', 'This form was not sent from the page that it belongs to. Open it again.');

/** The fields of a form of ours. Throws unsupported_media_type or request_too_large. */
async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    const message = 'The form must be sent as application/x-www-form-urlencoded.';
    throw new ServiceError('unsupported_media_type', { message });
  }
  const body = request.body === null ? Buffer.alloc(0) : await readCapped(request.body, LARGEST_FORM);
  if (body === null) throw new ServiceError('request_too_large', { message: 'The form is larger than 4 KiB.' });
  return new URLSearchParams(body.toString('utf8'));
}

/** Redirects to a path of this origin, whatever host the request named. */
export const redirect = (path: string): ApiResponse => ({
  status: 303,
  headers: { Location: path, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
  body: '',
});
