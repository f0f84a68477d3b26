// GET /pay/{session_id}/status: what the hosted page reads while it waits (sandbox.md). No signature, nothing that only the
// merchant may know, and nobody may keep the answer.

import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { publicStatus, readCheckout } from '@/lib/payments/checkout/view';
import { callerOf } from '@/lib/api/limits/admission';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { takePageToken } from '@/lib/api/limits/limits';
import type { Services } from '@/lib/api/services';

/** Answers the status, 404 for an unknown session, or 429 when this address asks too often. */
export async function answerPublicStatus(services: Services, sessionId: string, address: string): Promise<ApiResponse> {
  const caller = callerOf(address);
  let isInside = false;
  try {
    checkPageRate(services, address);
    services.admission.enter(caller);
    isInside = true;
    const view = await readCheckout(services, sessionId);
    if (!view) throw new ServiceError('SESSION_NOT_FOUND');
    return jsonResponse(200, JSON.stringify(publicStatus(view)));
  } catch (error) {
    const requestId = newRequestId();
    return errorResponse(services, toServiceError(services, error, requestId), requestId);
  } finally {
    if (isInside) services.admission.leave(caller);
  }
}

/** Throws RATE_LIMITED. Decisions: Errors, rate limit per address on the public pages. */
export const checkPageRate = (services: Services, address: string): void => takePageToken(services, address);
