// What operators do in the console besides stores and users: approve large refunds, decide payment exceptions, freeze signing,
// explain discrepancies between ledger and chain, retry failed work, and export the audit log.

import { z } from 'zod';
import { isFresh } from '@/lib/merchants/accounts/sign-in/logins';
import { approvalOptions, readApproval } from '@/lib/merchants/accounts/second-factor/passkey-approve';
import { passkeyAnswer } from '@/lib/merchants/accounts/second-factor/passkey-proof';
import { verifyAudit } from '@/lib/merchants/audit/verify';
import { decide } from '@/lib/payments/exceptions/decide';
import { EXCEPTION_ACTIONS } from '@/lib/payments/exceptions/states';
import { ServiceError } from '@/lib/platform/errors/errors';
import { requestFreeze } from '@/lib/installation/freeze/request';
import { explainDiscrepancy } from '@/lib/ledger/reconciliation/discrepancies';
import { decideApproval } from '@/lib/refunds/approval/decide';
import { decideEnd } from '@/lib/refunds/approval/force-fail';
import { recheck } from '@/lib/refunds/sending/recheck';
import { checkText } from '@/lib/merchants/stores/fields';
import { cancelReset } from '@/lib/merchants/accounts/operator-reset/open-resets';
import { acknowledgeAlarm } from '@/lib/dashboard/operator/alarms';
import { exportAudit } from '@/lib/dashboard/operator/audit';
import { decideContradiction, OUTCOMES } from '@/lib/dashboard/operator/contradiction';
import { retryDelivery, retryMail } from '@/lib/dashboard/operator/jobs';
import { retryQuarantined } from '@/lib/dashboard/operator/quarantine';
import { route, type Call, type DashboardRoute } from '@/lib/dashboard/route';

const DONE = { done: true } as const;
/** The signer's limit for a reason, minus the prefix (lib/installation/freeze/step). */
const LONGEST_REASON = 150;
const LONGEST_NOTE = 500;
const typed = z.string().max(5000);

const whoOf = ({ actor, from }: Pick<Call, 'actor' | 'from'>) => ({ by: actor.by, address: from.address });

/** Actions that need two operators. Each request contains the digest of what the operator was shown. */
const decision = z.object({
  move: z.enum(['request', 'approve', 'decline']),
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  note: typed.nullable().default(null),
});
const approval = decision.extend({ passkey: passkeyAnswer.optional() });

/** A passkey signature over the approval also counts as the step-up, so that an approval is one gesture. */
async function approve({ context, actor, from, params, body }: Call<z.output<typeof approval>>): Promise<typeof DONE> {
  const { passkey: answer, digest, move } = body;
  if (!answer && !isFresh(actor.login, context.clock.now())) throw new ServiceError('step_up_required');
  const bytes = Buffer.from(digest, 'hex');
  const passkey = answer && (await readApproval(context, actor.userId, { digest: bytes, answer }));
  const by = { userId: actor.userId, address: from.address };
  const refund = params.refund_id ?? '';
  await decideApproval(context, { ...by, refund, digest, move, note: noteOf(body.note), passkey });
  return DONE;
}

export const OPERATOR_CONSOLE_ROUTES: readonly DashboardRoute[] = [
  route({
    method: 'POST',
    path: '/operator/refunds/{refund_id}/approval',
    access: 'refunds.approve',
    stepUp: false,
    body: approval,
    handle: approve,
  }),
  // The content for the operator's passkey to sign. This request decides nothing.
  route({
    method: 'POST',
    path: '/operator/refunds/{refund_id}/approval/options',
    access: 'refunds.approve',
    stepUp: false,
    body: z.object({ digest: decision.shape.digest }),
    handle: async ({ context, actor, body }) => approvalOptions(context, actor.userId, Buffer.from(body.digest, 'hex')),
  }),
  route({
    method: 'POST',
    path: '/operator/refunds/{refund_id}/end',
    access: 'refunds.approve',
    body: decision,
    handle: async ({ context, actor, from, params, body }) => {
      const by = { userId: actor.userId, address: from.address };
      await decideEnd(context, { ...by, ...body, refund: params.refund_id ?? '', note: noteOf(body.note) });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/refunds/{refund_id}/again',
    access: 'refunds.approve',
    body: z.object({ note: typed }),
    handle: async (call) => {
      const note = checkText('note', call.body.note, LONGEST_NOTE);
      await recheck(call.context, { refund: call.params.refund_id ?? '', note, ...whoOf(call) });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/cases/{case_id}/decide',
    access: 'cases.decide',
    body: z.object({ action: z.enum(EXCEPTION_ACTIONS), note: typed.nullable().default(null) }),
    handle: async ({ context, actor, from, params, body }) => {
      const note = noteOf(body.note);
      const request = {
        caseId: params.case_id ?? '',
        by: { kind: 'operator', userId: actor.userId },
        address: from.address,
        ...(note === null ? {} : { note }),
      } as const;
      await decide(context, request, body.action);
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/freeze',
    access: 'signing.freeze',
    body: z.object({ reason: typed }),
    handle: async (call) => {
      const reason = checkText('reason', call.body.reason, LONGEST_REASON);
      return { request: await requestFreeze(call.context, { ...whoOf(call), reason }) };
    },
  }),
  route({
    method: 'POST',
    path: '/operator/differences/{difference_id}/explain',
    access: 'differences.explain',
    body: z.object({ note: typed }),
    handle: async (call) => {
      const note = checkText('note', call.body.note, LONGEST_NOTE);
      const id = /^[1-9]\d{0,17}$/.test(call.params.difference_id ?? '') ? (call.params.difference_id ?? '0') : '0';
      const found = await explainDiscrepancy(call.context, { id, note, ...whoOf(call) });
      if (!found) throw new ServiceError('DIFFERENCE_NOT_FOUND');
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/alarms/{alarm_id}/acknowledge',
    access: 'alarms.acknowledge',
    body: z.object({}),
    handle: async (call) => {
      await acknowledgeAlarm(call.context, { id: call.params.alarm_id ?? '', ...whoOf(call) });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/resets/{reset_id}/cancel',
    access: 'operator_resets.cancel',
    body: z.object({}),
    handle: async (call) => {
      await cancelReset(call.context, { id: call.params.reset_id ?? '', ...whoOf(call) });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/deliveries/{delivery_id}/retry',
    access: 'jobs.retry',
    body: z.object({}),
    handle: async (call) => {
      await retryDelivery(call.context, { id: call.params.delivery_id ?? '', ...whoOf(call) });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/mails/{mail_id}/retry',
    access: 'jobs.retry',
    body: z.object({}),
    handle: async (call) => {
      await retryMail(call.context, { id: call.params.mail_id ?? '', ...whoOf(call) });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/quarantine/{item_id}/retry',
    access: 'jobs.retry',
    body: z.object({}),
    handle: async (call) => {
      await retryQuarantined(call.context, { id: call.params.item_id ?? '', ...whoOf(call) });
      return DONE;
    },
  }),
  route({
    method: 'POST',
    path: '/operator/quarantine/{item_id}/decide',
    access: 'differences.explain',
    body: z.object({ outcome: z.enum(OUTCOMES), note: typed }),
    handle: async (call) => {
      const note = checkText('note', call.body.note, LONGEST_NOTE);
      const { outcome } = call.body;
      await decideContradiction(call.context, { id: call.params.item_id ?? '', outcome, note, ...whoOf(call) });
      return DONE;
    },
  }),
  route({
    method: 'GET',
    path: '/operator/audit/check',
    access: 'audit.read',
    handle: async ({ context }) => {
      const { entries, head, broken } = await verifyAudit(context.pool);
      return { entries: entries.toString(), head, broken: broken?.number.toString() ?? null };
    },
  }),
  // The page calls this before the download, because a download cannot request password and second factor.
  route({ method: 'GET', path: '/operator/audit/export-permission', access: 'audit.export', handle: async () => DONE }),
  route({
    method: 'GET',
    path: '/operator/audit/export',
    access: 'audit.export',
    handle: async ({ context }) => exportAudit(context),
  }),
];

const noteOf = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : checkText('note', text, LONGEST_NOTE);
