// GET /pay/{session_id}/solana-payment: the transfer that a Solana wallet in the customer's browser signs. It needs no signature,
// contains nothing private to the merchant, and must not be cached.

import { jsonResponse, type ApiResponse } from '@/lib/platform/http';
import { newRequestId } from '@/lib/platform/ids';
import { errorResponse, toServiceError } from '@/lib/api/answer';
import { finderCaller } from '@/lib/api/operations/find-view';
import type { Services } from '@/lib/api/services';

type Question = { readonly sessionId: string; readonly query: string; readonly address: string };

/** Returns the unsigned transaction or why the account cannot pay; 404, 400, 429 or 503 in the envelope. */
export async function answerSolanaPayment(
  services: Services,
  { sessionId, query, address }: Question,
): Promise<ApiResponse> {
  try {
    const params = new URLSearchParams(query);
    const [account, currency] = [params.get('account') ?? '', params.get('currency') ?? ''];
    const from = finderCaller(services, address);
    return jsonResponse(200, JSON.stringify(await services.draftSolanaPayment({ sessionId, account, currency, from })));
  } catch (error) {
    const requestId = newRequestId();
    return errorResponse(services, toServiceError(services, error, requestId), requestId);
  }
}
