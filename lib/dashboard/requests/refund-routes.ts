// What merchants do about refunds: make and cancel one, and its claim link. They share the use-cases of the signed API. Each
// change is in the audit log, in its own transaction.

import { z } from 'zod';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { cancelRefundByStore, createRefundByStore, createSplitByStore } from '@/lib/refunds/request/by-store';
import { requestCustomerAddress, confirmAddress, renewClaim } from '@/lib/refunds/customer-address/claim-links';
import { createRefundSchema } from '@/lib/refunds/request/schema';
import type { StoreScope } from '@/lib/dashboard/lists/payments';
import { readClaimUrl, readStoreRefund } from '@/lib/dashboard/payment/refund';
import { route, type DashboardRoute } from '@/lib/dashboard/route';
import { auditHere, HERE, scopeOf } from '@/lib/dashboard/store-scope';

/** The page chooses the refund's id, so that resending after a lost answer makes no second refund. */
const newRefund = createRefundSchema.omit({ metadata: true }).extend({
  /** `payers`: when several paid, each gets their part back by a separate refund; `customer`: one refund, as in the API. */
  to: z.enum(['customer', 'payers']).default('customer'),
});

type Work = (
  context: Omit<Context, 'pool'> & { readonly pool: Tx },
  of: { readonly storeId: string; readonly refundId: string },
) => Promise<object>;

/** A member's request about one refund, in one transaction with its entry in the audit log. */
const change = (path: string, action: string, work: Work): DashboardRoute =>
  route({
    method: 'POST',
    path: `${HERE}/refunds/{refund}/${path}`,
    access: 'refunds.make',
    body: z.object({}),
    handle: async (call) => {
      const of = scopeOf(call);
      const { id, refundId } = await refundOf(call.context, of, call.params.refund);
      return transaction(call.context.pool, async (tx) => {
        const answer = await work({ ...call.context, pool: tx }, { storeId: of.storeId, refundId: id });
        await auditHere(call, tx, { action, target: refundId });
        return answer;
      });
    },
  });

export const REFUND_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: `${HERE}/refunds`,
    access: 'refunds.make',
    body: newRefund,
    handle: async (call) => {
      const of = scopeOf(call);
      const { to, ...request } = call.body;
      const details = { session: request.session_id, amount: request.amount, currency: request.currency };
      const record = (tx: Tx, target: string) => auditHere(call, tx, { action: 'refund.make', target, details });
      const side = { ...of, record };
      if (to === 'payers') {
        const made = await createSplitByStore(call.context, side, request);
        return { id: null, refunds: made.map(({ id, refundId, status }) => ({ id, refund_id: refundId, status })) };
      }
      const refund = await createRefundByStore(call.context, side, request);
      return { id: refund.id, refund_id: refund.refundId, status: refund.status };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/refunds/{refund}/cancel`,
    access: 'refunds.cancel',
    body: z.object({}),
    handle: async (call) => {
      const of = scopeOf(call);
      const { refundId } = await refundOf(call.context, of, call.params.refund);
      const record = (tx: Tx, target: string) => auditHere(call, tx, { action: 'refund.cancel', target });
      const { canceledAt } = await cancelRefundByStore(call.context, { ...of, record }, refundId);
      return { status: 'canceled', canceled_at: unixSeconds(canceledAt) };
    },
  }),
  change('claim', 'refund.claim', async (context, of) => {
    const made = await renewClaim(context, of);
    return { url: made.url, expires_at: unixSeconds(made.expiresAt) };
  }),
  change('ask-address', 'refund.ask_address', async (context, of) => {
    await requestCustomerAddress(context, of);
    return { asked: true };
  }),
  change('confirm-address', 'refund.confirm_address', async (context, of) => {
    await confirmAddress(context, of);
    return { confirmed: true };
  }),
  // The holder of the link decides where the money goes. Only users who may make refunds see it, and the audit log records it.
  route({
    method: 'POST',
    path: `${HERE}/refunds/{refund}/claim/show`,
    access: 'refunds.make',
    body: z.object({}),
    handle: async (call) => {
      const of = scopeOf(call);
      const { id, refundId } = await refundOf(call.context, of, call.params.refund);
      const url = await readClaimUrl(call.context, of, id);
      if (url === null) throw new ServiceError('NOT_FOUND', { message: 'This refund has no link that can be used.' });
      await transaction(call.context.pool, (tx) =>
        auditHere(call, tx, { action: 'refund.claim_show', target: refundId }),
      );
      return { url };
    },
  }),
];

async function refundOf(
  context: Context,
  of: StoreScope,
  id: string | undefined,
): Promise<{ id: string; refundId: string }> {
  const refund = await readStoreRefund(context, of, id ?? '');
  if (!refund) throw new ServiceError('REFUND_NOT_FOUND', { param: 'refund_id' });
  return refund;
}
