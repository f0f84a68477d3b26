// The dashboard's adapter for Next: converts Web requests to neutral ones, also for next-auth.

import { answerAuth } from '@/lib/merchants/accounts/sign-in/next-auth';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { clientAddress } from '@/lib/api/client-address';
import { toResponse } from '@/lib/api/adapters/next-adapter';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { readCapped, type ApiRequest } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { passGate } from '@/lib/platform/security/request-gate';
import { answerDashboard } from './adapter';
import { noteRefusal } from './note-refusal';
import { LARGEST_UPLOAD } from './route';
import { ROUTES } from './routes';

/** Answers one request below /api/dashboard. */
export const answerDashboardWeb = (context: Context, request: Request): Promise<Response> =>
  guarded(context, request, async () => {
    const answered = await answerDashboard(context, await neutral(request), ROUTES);
    return answered instanceof Response ? answered : toResponse(answered);
  });

/** Answers one request below /api/auth. */
export const answerAuthWeb = (context: Context, request: Request): Promise<Response> =>
  guarded(context, request, () => answerAuth(context, request, clientAddress(request.headers)));

async function guarded(context: Context, request: Request, work: () => Promise<Response>): Promise<Response> {
  // Next would hold a body back until it is complete if proxy.ts ran here.
  const gated = await passGate(request);
  if (gated.refusal) return toResponse(gated.refusal);
  try {
    return await work();
  } catch (error) {
    const requestId = newRequestId();
    const refusal = toServiceError(context, error, requestId);
    noteRefusal(context, refusal, { address: clientAddress(request.headers) });
    return toResponse(errorResponse(context, refusal, requestId, { isForm: true }));
  }
}

async function neutral(request: Request): Promise<ApiRequest> {
  const url = new URL(request.url);
  const body = request.body ? await readCapped(request.body, LARGEST_UPLOAD) : new Uint8Array(0);
  if (body === null) throw new ServiceError('request_too_large');
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    // Of the headers read here only the cookie's may contain a comma. A repeated header equals no accepted value.
    header: (name) => [request.headers.get(name) ?? []].flat(),
    body,
    address: clientAddress(request.headers),
  };
}
