// The payment finder for merchants: signed, about their own sessions.

import { jsonResponse } from '@/lib/platform/http';
import { readSession } from '@/lib/payments/sessions/read';
import { finderCaller, findView, requestedTransaction } from './find-view';
import type { Handler } from '@/lib/api/handler';

/** GET /api/v1/checkout/sessions/{session_id}/find?transaction=… */
export const findPaymentRoute: Handler = async ({ services, request, caller, params }) => {
  // Spends the nonce, and does not reveal sessions of other stores.
  const { id } = await readSession(services, caller, params.session_id as string);
  const from = finderCaller(services, request.address) && `key ${caller.key.id}`;
  const found = await services.findPayment({
    sessionId: id,
    text: requestedTransaction(request.query),
    from,
    budget: 'merchants',
  });
  return jsonResponse(200, JSON.stringify(findView(id, found)));
};
