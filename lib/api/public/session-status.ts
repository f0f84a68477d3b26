// GET /pay/{session_id}/status: the hosted page polls it while it waits. It needs no signature, contains nothing private to the
// merchant, and must not be cached.

import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { publicStatus, readCheckout } from '@/lib/payments/checkout/view';
import { callerOf } from '@/lib/api/limits/admission';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { takePageToken } from '@/lib/api/limits/limits';
import type { Services } from '@/lib/api/services';

/** Returns the status, 404 for an unknown session, or 429 when this address sends too many requests. */
export async function answerPublicStatus(services: Services, sessionId: string, address: string): Promise<ApiResponse> {
  const caller = callerOf(address);
  let isInside = false;
  try {
    await checkPageRate(services, address);
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

/** Throws RATE_LIMITED by the limit per address on the public pages. */
export const checkPageRate = (services: Services, address: string): Promise<void> => takePageToken(services, address);
