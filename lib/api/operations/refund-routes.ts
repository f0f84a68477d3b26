// The refund endpoints and their listing: read the request, call one use case, return its result.

import type { Caller } from '@/lib/merchants/api-keys/nonces';
import { unixSeconds } from '@/lib/platform/clock';
import { jsonResponse } from '@/lib/platform/http';
import { cancelRefund } from '@/lib/refunds/request/cancel';
import { createRefund } from '@/lib/refunds/request/create';
import { listRefunds } from '@/lib/refunds/list';
import { readRefund } from '@/lib/refunds/read';
import { createRefundSchema } from '@/lib/refunds/request/schema';
import { createdRefundText, refundText, type Viewer } from '@/lib/refunds/view';
import type { Handler } from '@/lib/api/handler';
import { readQuery, timeCursor } from '@/lib/api/list-query';
import { refundsQuerySchema } from './refund-query';
import { readApiBody } from '@/lib/api/validate';

const CURSOR = timeCursor('r1', /^re_[0-9a-f]{40}$/);

/** POST /api/v1/refunds/create: 201 with the refund, also when the same request created it before. */
export const createRefundRoute: Handler = async ({ services, request, caller }) => {
  const refund = await createRefund(services, caller, readApiBody(request.body, createRefundSchema));
  return jsonResponse(201, createdRefundText(refund));
};

/** GET /api/v1/refunds/{refund_id} */
export const readRefundRoute: Handler = async ({ services, caller, params }) => {
  const refund = await readRefund(services, caller, params.refund_id as string);
  return jsonResponse(200, refundText(refund, services.config, viewerOf(caller)));
};

/** POST /api/v1/refunds/{refund_id}/cancel. Any body is ignored. */
export const cancelRefundRoute: Handler = async ({ services, caller, params }) => {
  const { refundId, canceledAt } = await cancelRefund(services, caller, params.refund_id as string);
  const answer = { refund_id: refundId, status: 'canceled', canceled_at: unixSeconds(canceledAt) };
  return jsonResponse(200, JSON.stringify(answer));
};

/** GET /api/v1/refunds: newest first. */
export const listRefundsRoute: Handler = async ({ services, request, caller }) => {
  const query = readQuery(request.query, refundsQuerySchema);
  const { refunds, next } = await listRefunds(services, caller, {
    status: query.status,
    sessionId: query.session_id,
    orderId: query.order_id,
    from: query.created_from,
    to: query.created_to,
    after: CURSOR.read(query.cursor),
    limit: query.limit,
  });
  const data = refunds.map((refund) => refundText(refund, services.config, viewerOf(caller))).join(',');
  return jsonResponse(200, `{"data":[${data}],${JSON.stringify({ next_cursor: next && CURSOR.write(next) }).slice(1)}`);
};

const viewerOf = ({ key }: Caller): Viewer => ({ showsClaimLink: key.scopes.includes('refunds:write') });
