// The dashboard's adapter for Next: converts Web requests to neutral ones, also for next-auth.

import { answerAuth } from '@/lib/merchants/accounts/sign-in/next-auth';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { toResponse } from '@/lib/api/adapters/next-adapter';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import { readCapped, type ApiRequest } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
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
  guarded(context, request, () => answerAuth(context, request, addressOf(request)));

async function guarded(context: Context, request: Request, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const requestId = newRequestId();
    const refusal = toServiceError(context, error, requestId);
    noteRefusal(context, refusal, { address: addressOf(request) });
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
    address: addressOf(request),
  };
}

/** Next exposes no peer address. The web process in front of it sets it here. */
const addressOf = (request: Request): string => request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? '';
