// The payment finder for customers: without a signature, as JSON and for the hosted page. Responses must not be cached.

import { ServiceError } from '@/lib/platform/errors/errors';
import type { Found } from '@/lib/payments/finder/find';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { finderCaller, findView, LONGEST_TRANSACTION, requestedTransaction } from '@/lib/api/operations/find-view';
import type { Services } from '@/lib/api/services';

/** GET /pay/{session_id}/find?transaction=…: 404 for an unknown session, 429 for too many requests. */
export async function answerPublicFind(
  services: Services,
  { sessionId, query, address }: { sessionId: string; query: string; address: string },
): Promise<ApiResponse> {
  try {
    const found = await services.findPayment({
      sessionId,
      text: requestedTransaction(query),
      from: finderCaller(services, address),
      budget: 'customers',
    });
    return jsonResponse(200, JSON.stringify(findView(sessionId, found)));
  } catch (error) {
    const requestId = newRequestId();
    return errorResponse(services, toServiceError(services, error, requestId), requestId);
  }
}

/** The result that the page shows for `?transaction=…`, or how long to wait; null without that parameter. */
export async function findForPage(
  services: Services,
  {
    sessionId,
    transaction,
    address,
  }: { sessionId: string; transaction: string | string[] | undefined; address: string },
): Promise<({ text: string } & ({ found: Found } | { waitSeconds: number })) | null> {
  const text = typeof transaction === 'string' ? transaction.trim().slice(0, LONGEST_TRANSACTION) : '';
  if (text === '') return null;
  try {
    const from = finderCaller(services, address);
    return { text, found: await services.findPayment({ sessionId, text, from, budget: 'customers' }) };
  } catch (error) {
    if (error instanceof ServiceError && error.retryAfter !== null) return { text, waitSeconds: error.retryAfter };
    throw error;
  }
}
