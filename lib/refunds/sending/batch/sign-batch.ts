// Requests the signature of a batch and stores the signed bytes for all of its payouts before they are broadcast. Any worker that has one
// of the payouts repeats the request until the outcome is known. The signer signs all of them or none. When it signs none, the batch ends
// and its payouts are drafted alone.

import { crashpoint } from '@/lib/platform/crash-point';
import { transaction } from '@/lib/platform/database/db';
import { Refusal, type RefundOrder, type Signed } from '@/lib/signer/client';
import type { SignedAttempt, UnsignedAttempt } from '@/lib/refunds/attempts';
import { moveAttempts } from '@/lib/refunds/states';
import { stopOfRepeated } from '@/lib/refunds/sending/draft/signing-hold';
import { underLease } from '@/lib/refunds/sending/lease';
import { FOR_OPERATOR } from '@/lib/refunds/sending/plan';
import { holdOf, namedInLog, putOnHold, type Work } from '@/lib/refunds/sending/sending-context';
import { adoptUnknown, refuseAttempt } from '@/lib/refunds/sending/sign/adopt';
import { callOrHold, signerOrder } from '@/lib/refunds/sending/sign/call';
import { extendMembers, lockMembers, releaseMembers, takeMembers } from './members';

/**
 * Settles a payout whose attempt in a batch may have been signed. `live`: attempts with lower fees that may land. `firsts`: the payouts whose
 * first request this worker has just recorded. True when the payout continues with this lease; false when it is idle.
 */
export async function settleItem(
  work: Work,
  attempt: UnsignedAttempt,
  { live, firsts = [] }: { readonly live: readonly SignedAttempt[]; readonly firsts?: readonly string[] },
): Promise<boolean> {
  const known = await callOrHold(work, () => adoptUnknown(work, attempt));
  if (known !== 'none') return known === 'adopted';
  const members = await takeMembers(work, attempt);
  if (!members) return leaveBatch(work, attempt);
  const own = members.find(({ payment }) => payment.id === work.payment.id) ?? work;
  const orders = await ordersOf(own, members);
  if (!orders) return false;
  const obstacle = live.length > 0 ? '' : await findStopped(own, members);
  if (obstacle === null) return false;
  const why = obstacle || (await signMembers(own, { members, orders }, attempt));
  if (why === null || why === '') return false;
  // After a refusal, a request before it may have been signed, and its answer lost: then all of them have the attempt.
  const isSigned = await callOrHold(own, () => adoptUnknown(own, attempt));
  if (isSigned === 'none') await endBatch(own, members, { attempt, firsts, outcome: `the batch was dropped: ${why}` });
  return false;
}

/**
 * Why the batch must not be signed any more; empty when nothing stands in its way. The payout that is stopped finds its own reason when it
 * is drafted alone. Null: the signer does not answer, and `own` is on hold.
 */
async function findStopped(own: Work, members: readonly Work[]): Promise<string | null> {
  for (const member of members) {
    const { destination, id } = member.payment;
    if (!destination) return `payout ${id} has no destination`;
    if (member.payment.hold === FOR_OPERATOR) return `payout ${id} waits for an operator`;
    const isProven = await callOrHold(own, () => member.rules.isProven(member));
    if (isProven === null) return null;
    if (!isProven) return `the address of payout ${id} was stopped or never chosen`;
    const stop = await stopOfRepeated(own.context.pool, member, destination);
    if (stop) return `payout ${id} is stopped: ${stop.why}`;
  }
  return '';
}

/** Null when the signer's key of evidence is missing or an order cannot be attested now; then `own` is on hold. */
async function ordersOf(own: Work, members: readonly Work[]): Promise<readonly RefundOrder[] | null> {
  const { signer } = own.sending;
  if (!signer) {
    await putOnHold(own, holdOf('signer_unavailable'));
    return null;
  }
  const orders: RefundOrder[] = [];
  for (const member of members) {
    const { destination, id } = member.payment;
    if (!destination) throw new Error(`payout ${id} is in a batch and has no destination`);
    const order = await callOrHold(own, () => signerOrder(member, destination, signer.evidenceKey));
    if (!order) return null;
    orders.push(order);
  }
  return orders;
}

type Asked = { readonly members: readonly Work[]; readonly orders: readonly RefundOrder[] };

/** Empty when it was signed and stored. Otherwise why the signer refused it; null when `own` is on hold, or another worker has any of them. */
async function signMembers(own: Work, { members, orders }: Asked, { draft }: UnsignedAttempt): Promise<string | null> {
  const { context, sending, payment } = own;
  const calls = sending.signer?.calls;
  if (!calls?.signBatch) return 'this worker has no signer of batches';
  // All checks took time, in which another worker may have ended the batch. Nothing comes between this and the request.
  if (!(await extendMembers(own, members))) return null;
  const { from, unsigned } = draft;
  const signed = await callOrHold(own, () => answerOf(calls.signBatch?.({ orders: [...orders], from, unsigned })));
  if (!signed) return null;
  if (signed instanceof Refusal) {
    const about = { ...namedInLog(payment), network: sending.network, code: signed.code, payouts: orders.length };
    context.log.warn(about, `the signer refused a batch, and its payouts go alone: ${signed.message}`);
    return `${signed.code}: ${signed.message}`;
  }
  crashpoint('after-signed');
  const isStored = await storeSigned(own, members, { unsigned, signed });
  crashpoint('after-stored');
  return isStored ? '' : null;
}

async function answerOf(signing: Promise<Signed> | undefined): Promise<Signed | Refusal | null> {
  try {
    return (await signing) ?? null;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

type SignedBatch = { readonly unsigned: string; readonly signed: Signed };

/** For all payouts of the batch. False when another worker has taken them; it stores the same. */
const storeSigned = (own: Work, members: readonly Work[], { unsigned, signed }: SignedBatch): Promise<boolean> =>
  transaction(own.context.pool, async (tx) => {
    if (!(await lockMembers(tx, own, members))) return false;
    await moveAttempts(tx, {
      name: 'refund-batch-signed',
      move: 'sign',
      set: 'hash = $3, bytes = $4, validity = $5, signed_at = $6',
      where: `chain_id = $1 AND ended_at IS NULL AND draft->>'unsigned' = $2`,
      values: [
        ...[own.chainId, unsigned, signed.hash, signed.bytes, JSON.stringify(signed.validity)],
        own.context.clock.now(),
      ],
    });
    await releaseMembers(tx, members);
    return true;
  });

type Ended = { readonly attempt: UnsignedAttempt; readonly firsts: readonly string[]; readonly outcome: string };

/** Ends the attempts of a batch that was provably not signed. */
async function endBatch(own: Work, members: readonly Work[], { attempt, firsts, outcome }: Ended): Promise<void> {
  const { context, chainId } = own;
  await transaction(context.pool, async (tx) => {
    if (!(await lockMembers(tx, own, members))) return;
    await moveAttempts(tx, {
      name: 'refund-batch-refused',
      move: 'refuse',
      set: 'outcome = $3, ended_at = $4',
      where: `chain_id = $1 AND ended_at IS NULL AND draft->>'unsigned' = $2`,
      values: [chainId, attempt.draft.unsigned, outcome, context.clock.now()],
    });
    // As for a single payment: those whose first request got this answer can be canceled again.
    await tx.query({
      name: 'payouts-of-batch-not-asked',
      text: `UPDATE payouts p SET signature_requested_at = NULL WHERE id = ANY($1)
               AND NOT EXISTS (SELECT FROM refund_attempts WHERE intent_id = p.id AND status <> 'refused')`,
      values: [firsts],
    });
    await releaseMembers(tx, members);
  });
}

/**
 * Ends the payout's own attempt: another payout has left the batch, so that nothing can sign it any more. If that payout left because its
 * attempt was found to be signed, this one was signed with it.
 */
async function leaveBatch(work: Work, attempt: UnsignedAttempt): Promise<boolean> {
  const known = await callOrHold(work, () => adoptUnknown(work, attempt));
  if (known !== 'none') return known === 'adopted';
  const { context, payment } = work;
  const outcome = 'dropped: another payout left its batch';
  const done = await underLease(context.pool, payment, (tx) =>
    refuseAttempt(tx, payment.table, { attempt, isFirst: false, now: context.clock.now(), outcome }),
  );
  return done !== null;
}
