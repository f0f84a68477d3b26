// Requests the signature of a draft and stores the signed bytes before they are broadcast. The worker repeats the same request until it
// knows whether the draft was signed. Only the signer's own list of attempts proves that it was not.

import { crashpoint } from '@/lib/platform/crash-point';
import { Refusal, type RefusalCode, type Signed } from '@/lib/signer/client';
import type { SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { extendLease, underLease } from '@/lib/refunds/sending/lease';
import type { HoldCode } from '@/lib/refunds/holds';
import type { UnsignedAttempt } from '@/lib/refunds/attempts';
import {
  putOnHold,
  holdOf,
  idleFor,
  type SendingContext,
  namedInLog,
  type Work,
} from '@/lib/refunds/sending/sending-context';
import { adoptUnknown, refuseAttempt, storeSigned } from './adopt';
import { callOrHold, signerOrder } from './call';

/** Another payment took the nonce in the meantime, so the next draft follows at once. */
const NONCE_MILLISECONDS = 100;

/** The hold for each refusal. `nonce` causes none: the next draft has the correct nonce. */
const HOLDS: Readonly<Record<RefusalCode, HoldCode | null>> = {
  frozen: 'frozen',
  limit: 'limit',
  approval: 'approval_needed',
  evidence: 'evidence',
  not_allowed: 'not_allowed',
  draft: 'not_allowed',
  conflict: 'not_allowed',
  released: 'not_allowed',
  nonce: null,
  used: 'not_allowed',
};

/**
 * Requests the signature of an attempt. `isFirst`: this worker has just recorded the payment's first request, so no other worker can have
 * made one. True when the outcome is known and the payment continues; false when it is idle.
 */
export async function signAttempt(work: Work, attempt: UnsignedAttempt, isFirst: boolean): Promise<boolean> {
  const { sending, payment, context, rules } = work;
  const { signer } = sending;
  if (!signer || !payment.destination) {
    await putOnHold(work, holdOf('signer_unavailable'));
    return false;
  }
  const { destination } = payment;
  const proven = await callOrHold(work, () => rules.isProven(work));
  if (proven === null) return false;
  if (!proven) return endForged(work, attempt);
  const order = await signerOrder(work, destination, signer.evidenceKey);
  const approvals = await rules.signatures(work, destination);
  if (!(await extendLease(context, payment, sending.intervals.lease))) return false;
  const signed = await callOrHold(work, () =>
    sign(signer, { order, draft: attempt.draft, lapsed: attempt.lapsed, approvals }),
  );
  if (!signed) return false;
  if (signed instanceof Refusal) return refused(work, attempt, { refusal: signed, isFirst });
  crashpoint('after-signed');
  const isStored = await underLease(context.pool, payment, (tx) =>
    storeSigned(tx, attempt.id, signed, context.clock.now()),
  );
  crashpoint('after-stored');
  return isStored !== null;
}

type SignRequest = Parameters<NonNullable<SendingContext['signer']>['calls']['sign']>[0];
type Given = Pick<SignRequest, 'order' | 'draft'> & {
  readonly lapsed: SignRequest['lapsed'] | null;
  readonly approvals: readonly SignedApproval[];
};

async function sign(
  { calls }: NonNullable<SendingContext['signer']>,
  { order, draft, lapsed, approvals }: Given,
): Promise<Signed | Refusal> {
  try {
    return await calls.sign({
      order,
      draft,
      ...(lapsed ? { lapsed } : {}),
      ...(approvals.length > 0 ? { approvals: [...approvals] } : {}),
    });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function refused(
  work: Work,
  attempt: UnsignedAttempt,
  { refusal, isFirst }: { refusal: Refusal; isFirst: boolean },
): Promise<boolean> {
  const { context, payment, sending, rules } = work;
  const about = { ...namedInLog(payment), attempt: attempt.number, network: sending.network, code: refusal.code };
  context.log.warn(about, `the signer refused a payment: ${refusal.message}`);
  const known = await callOrHold(work, () => adoptUnknown(work, attempt));
  if (known === null || known === 'held') return false;
  if (known === 'adopted') return true;
  await underLease(context.pool, payment, async (tx) => {
    const now = context.clock.now();
    await refuseAttempt(tx, payment.table, { attempt, isFirst, now, outcome: `${refusal.code}: ${refusal.message}` });
    if (refusal.code === 'approval' && payment.destination)
      await rules.recordRefused(tx, work, payment.destination, { trouble: refusal.message, now });
  });
  // A draft that got no response grows old and is refused for that; a new draft with the same content would be refused again.
  const isOld = context.clock.now().getTime() - attempt.draftedAt.getTime() >= sending.intervals.lease;
  const hold = refusal.code === 'draft' && isOld ? null : HOLDS[refusal.code];
  await (hold === null ? idleFor(work, NONCE_MILLISECONDS) : putOnHold(work, holdOf(hold)));
  return false;
}

/**
 * Ends a draft to a destination that the worker did not choose and that the signer has not signed. Either another process changed the
 * database, or the draft is from an earlier version; or a store has stopped the address of its payout. The next draft goes to the
 * destination that the worker finds.
 */
async function endForged(work: Work, attempt: UnsignedAttempt): Promise<boolean> {
  const { context, payment } = work;
  const about = { ...namedInLog(payment), attempt: attempt.number, destination: payment.destination?.address };
  if (payment.table === 'payouts')
    context.log.warn(about, 'a draft was dropped: its address was stopped or never chosen');
  else context.log.error(about, 'a draft was dropped: the worker did not choose its destination');
  const outcome = 'dropped: this destination is not, or no longer, the one that the worker chose';
  const now = context.clock.now();
  await underLease(context.pool, payment, (tx) =>
    refuseAttempt(tx, payment.table, { attempt, isFirst: false, now, outcome }),
  );
  return true;
}
