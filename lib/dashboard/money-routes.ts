// What merchants do about their payments: refunds, claim links, decisions about odd payments, exports, and events that are sent
// again. The use-cases are those behind the signed API; each change is in the audit log, in the transaction that makes it.

import { z } from 'zod';
import { recordAudit } from '@/lib/audit/record';
import { acceptCase, leaveCase, refundCase, type Decision } from '@/lib/cases/decide';
import { readCase, type CaseUser, type PaymentCase } from '@/lib/cases/read';
import { CASE_ACTIONS, type CaseAction } from '@/lib/cases/states';
import { unixSeconds } from '@/lib/clock';
import type { Context } from '@/lib/context';
import { transaction, type Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import type { Environment } from '@/lib/ids';
import { cancelRefundByStore, createRefundByStore } from '@/lib/refunds/by-store';
import { askForAddress, renewClaim } from '@/lib/refunds/claims';
import { createRefundSchema } from '@/lib/refunds/schema';
import { resendEventIn } from '@/lib/webhooks/resend';
import { readStoreEvent } from './events';
import { EXPORT_KINDS, exportList, type ExportKind } from './exports';
import type { StoreScope } from './payments';
import { readClaimUrl, readStoreRefund } from './refund';
import { route, type Call, type DashboardRoute } from './route';

const HERE = '/stores/{store_id}/{environment}';
const CASE_LINE = 500;

/** The page names the refund, so that whoever sends it again after a lost answer makes no second one. */
const newRefund = createRefundSchema.omit({ metadata: true });

export const MONEY_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: `${HERE}/refunds`,
    access: 'refunds.make',
    body: newRefund,
    handle: async (call) => {
      const of = scopeOf(call);
      const asked = call.body;
      const details = {
        environment: of.environment,
        session: asked.session_id,
        amount: asked.amount,
        currency: asked.currency,
      };
      const record = (tx: Tx, target: string) => audit(call, tx, { action: 'refund.make', target, details });
      const refund = await createRefundByStore(call.context, { ...of, record }, asked);
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
      const record = (tx: Tx, target: string) =>
        audit(call, tx, { action: 'refund.cancel', target, details: { environment: of.environment } });
      const { canceledAt } = await cancelRefundByStore(call.context, { ...of, record }, refundId);
      return { status: 'canceled', canceled_at: unixSeconds(canceledAt) };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/refunds/{refund}/claim`,
    access: 'refunds.make',
    body: z.object({}),
    handle: async (call) => {
      const of = scopeOf(call);
      const { id, refundId } = await refundOf(call.context, of, call.params.refund);
      return transaction(call.context.pool, async (tx) => {
        const made = await renewClaim({ ...call.context, pool: tx }, { storeId: of.storeId, refundId: id });
        await audit(call, tx, { action: 'refund.claim', target: refundId, details: { environment: of.environment } });
        return { url: made.url, expires_at: unixSeconds(made.expiresAt) };
      });
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/refunds/{refund}/ask-address`,
    access: 'refunds.make',
    body: z.object({}),
    handle: async (call) => {
      const of = scopeOf(call);
      const { id, refundId } = await refundOf(call.context, of, call.params.refund);
      return transaction(call.context.pool, async (tx) => {
        await askForAddress({ ...call.context, pool: tx }, { storeId: of.storeId, refundId: id });
        const details = { environment: of.environment };
        await audit(call, tx, { action: 'refund.ask_address', target: refundId, details });
        return { asked: true };
      });
    },
  }),
  // Whoever has the link can say where the money goes, so it is shown to whom may make refunds, and that is written down.
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
        audit(call, tx, { action: 'refund.claim_show', target: refundId, details: { environment: of.environment } }),
      );
      return { url };
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/cases/{case}/decide`,
    access: 'cases.decide',
    body: z.object({ action: z.enum(CASE_ACTIONS), note: z.string().max(CASE_LINE).optional() }),
    handle: async (call) => {
      const of = scopeOf(call);
      const { action, note } = call.body;
      const { role, userId } = call.actor;
      const by: CaseUser =
        role === 'operator' ? { kind: 'operator', userId } : { kind: 'merchant', userId, storeId: of.storeId };
      const caseId = call.params.case as string;
      const found = await readCase(call.context, { caseId, by });
      // An operator sees all; here it is this store's.
      if (found.storeId !== of.storeId || found.environment !== of.environment)
        throw new ServiceError('CASE_NOT_FOUND');
      const given = note?.trim() ?? '';
      const decision: Decision = { caseId, by, address: call.from.address, ...(given !== '' && { note: given }) };
      const decided = await DECIDE[action](call.context, decision);
      return { id: decided.id, state: decided.state };
    },
  }),
  route({
    method: 'GET',
    path: `${HERE}/exports/{kind}`,
    access: 'payments.export',
    handle: async (call) => {
      const of = scopeOf(call);
      const kind = EXPORT_KINDS.find((one) => one === call.params.kind);
      if (!kind) throw new ServiceError('NOT_FOUND');
      const file = exportList(call.context, of, kind, call.query);
      const details = { environment: of.environment, filters: call.query.toString().slice(0, CASE_LINE) };
      await transaction(call.context.pool, (tx) =>
        audit(call, tx, { action: 'export', target: kind satisfies ExportKind, details }),
      );
      return file;
    },
  }),
  route({
    method: 'POST',
    path: `${HERE}/events/{event}/resend`,
    access: 'webhook.resend',
    body: z.object({}),
    handle: async (call) => {
      const of = scopeOf(call);
      const event = await readStoreEvent(call.context, of, call.params.event as string);
      if (!event) throw new ServiceError('NOT_FOUND', { message: 'There is no such event.' });
      return transaction(call.context.pool, async (tx) => {
        const made = await resendEventIn(tx, { storeId: of.storeId, eventId: event.id });
        if (!made)
          throw new ServiceError('NOT_FOUND', {
            message: 'No webhook endpoint is set, so there is nowhere to send it.',
          });
        await audit(call, tx, {
          action: 'event.resend',
          target: event.id,
          details: { environment: of.environment, type: event.type },
        });
        return { delivery_id: made.deliveryId };
      });
    },
  }),
];

const DECIDE: Readonly<Record<CaseAction, (context: Context, decision: Decision) => Promise<PaymentCase>>> = {
  accept: acceptCase,
  refund: refundCase,
  leave: leaveCase,
};

type Asking = Pick<Call, 'actor' | 'params'>;

/** Throws NOT_FOUND for an environment that there is not. */
function scopeOf({ actor, params }: Asking): StoreScope {
  const { environment } = params;
  if (environment !== 'live' && environment !== 'test') throw new ServiceError('NOT_FOUND');
  return { storeId: actor.storeId as string, environment: environment satisfies Environment };
}

async function refundOf(
  context: Context,
  of: StoreScope,
  id: string | undefined,
): Promise<{ id: string; refundId: string }> {
  const refund = await readStoreRefund(context, of, id ?? '');
  if (!refund) throw new ServiceError('REFUND_NOT_FOUND', { param: 'refund_id' });
  return refund;
}

const audit = (
  { actor, from, context }: Pick<Call, 'actor' | 'from' | 'context'>,
  tx: Tx,
  done: { action: string; target: string; details: Readonly<Record<string, string | number>> },
): Promise<void> =>
  recordAudit(tx, {
    ...done,
    actor: actor.by,
    storeId: actor.storeId,
    address: from.address,
    now: context.clock.now(),
  });
