// The payout endpoints: read the request, call one use case, return its result.

import { z } from 'zod';
import { unixSeconds } from '@/lib/platform/clock';
import { jsonResponse } from '@/lib/platform/http';
import { cancelPayoutByKey, createPayout } from '@/lib/payouts/by-key';
import { listPayoutPage } from '@/lib/payouts/list';
import { readPayout } from '@/lib/payouts/read';
import { createPayoutSchema } from '@/lib/payouts/schema';
import { payoutView } from '@/lib/payouts/view';
import type { Handler } from '@/lib/api/handler';
import { common, readQuery, refundStatus, timeCursor } from '@/lib/api/list-query';
import { readApiBody } from '@/lib/api/validate';

export const payoutsQuerySchema = z.object({ ...common, status: refundStatus.optional() });

const CURSOR = timeCursor('o1', /^po_[0-9a-f]{40}$/);

/** POST /api/v1/payouts/create: 201 with the payout, also when the same request created it before. */
export const createPayoutRoute: Handler = async ({ services, request, caller }) => {
  const by = { caller, address: request.address };
  const payout = await createPayout(services, by, readApiBody(request.body, createPayoutSchema));
  return jsonResponse(201, JSON.stringify(payoutView(payout)));
};

/** GET /api/v1/payouts/{payout_id} */
export const readPayoutRoute: Handler = async ({ services, caller, params }) => {
  const payout = await readPayout(services, caller, params.payout_id as string);
  return jsonResponse(200, JSON.stringify(payoutView(payout)));
};

/** POST /api/v1/payouts/{payout_id}/cancel. Any body is ignored. */
export const cancelPayoutRoute: Handler = async ({ services, request, caller, params }) => {
  const by = { caller, address: request.address };
  const { payoutId, canceledAt } = await cancelPayoutByKey(services, by, params.payout_id as string);
  const answer = { payout_id: payoutId, status: 'canceled', canceled_at: unixSeconds(canceledAt) };
  return jsonResponse(200, JSON.stringify(answer));
};

/** GET /api/v1/payouts: newest first. */
export const listPayoutsRoute: Handler = async ({ services, request, caller }) => {
  const query = readQuery(request.query, payoutsQuerySchema);
  const { payouts, next } = await listPayoutPage(services, caller, {
    status: query.status,
    from: query.created_from,
    to: query.created_to,
    after: CURSOR.read(query.cursor),
    limit: query.limit,
  });
  return jsonResponse(200, JSON.stringify({ data: payouts.map(payoutView), next_cursor: next && CURSOR.write(next) }));
};
