// Handles a payment whose signed transactions can no longer pay it as ordered, according to a final check of the chain. It is on hold for
// an operator, or fails when two operators agreed to exactly that. The judgement is stored on the attempts, so that a later check
// does not stop all payments again. Every function returns false, because the payment does not continue, except where the signer knew
// more.

import { stopsSigning } from '@/lib/networks/networks';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { underLease } from '@/lib/refunds/sending/lease';
import { isEndAgreed } from '@/lib/refunds/approval/force-fail-agreed';
import { failPayment } from '@/lib/refunds/sending/finish';
import { FOR_OPERATOR } from '@/lib/refunds/sending/plan';
import type { Judgement, SignedAttempt } from '@/lib/refunds/attempts';
import { putOnHold, holdOf, namedInLog, type Work } from '@/lib/refunds/sending/sending-context';
import { adoptUnknown } from '@/lib/refunds/sending/sign/adopt';
import { callOrHold } from '@/lib/refunds/sending/sign/call';

/**
 * An unknown transaction took the nonce of `live`. Either the signer made it and the database lost it, or someone else has the key. So the
 * signer is frozen, and only an operator may decide about the payment. Unfreezing the signer counts as a decision about this nonce, so it
 * does not freeze again. True when the signer knew more attempts.
 */
export async function nonceTaken(work: Work, live: readonly SignedAttempt[]): Promise<boolean> {
  const { sending, payment } = work;
  if (!sending.signer) return holdForOperator(work, 'no signer');
  const known = await callOrHold(work, () => adoptUnknown(work, null));
  if (known === 'adopted') return true;
  if (known !== 'none') return false;
  if (live.some(({ judged }) => judged === null)) {
    const { calls } = sending.signer;
    const reason = `a transaction that was not signed here took a nonce of the wallet on ${sending.network}`;
    const isStopped = await callOrHold(work, async () => {
      if (stopsSigning(sending.spec)) await calls.freeze(reason);
      return true;
    });
    if (isStopped === null) return false;
    work.context.log.error(
      { ...namedInLog(payment), network: sending.network },
      'the refund wallet was used by an unknown holder of its key',
    );
    // After the freeze: a crash in between must not lose the freeze.
    await judge(work, live, 'nonce_taken');
  }
  return endOrHold(work, 'another transaction of the wallet has its nonce');
}

/** One of `live` is final and moved something else; with a nonce, the others can no longer land. */
export async function movedOtherwise(
  work: Work,
  live: readonly SignedAttempt[],
  { hash, reason }: Extract<AttemptOutcome, { kind: 'unclear' }>,
): Promise<false> {
  const itself = live.filter((one) => one.hash === hash);
  const variants = live.filter((one) => one.hash !== hash && one.validity.kind === 'nonce');
  await judge(work, itself, 'moved_otherwise');
  await judge(work, variants, 'nonce_taken');
  return endOrHold(work, reason);
}

/** An endpoint that keeps more blocks may be unreachable for a moment. */
const PRUNED_PATIENCE_MILLISECONDS = 600_000;

/**
 * No endpoint has the blocks that could hold an attempt. If that lasts, an operator has to add one that has them. Until then the check
 * of the refund wallet stops waiting for this payment, so that the network's other payments are paid (wallet-check.ts).
 */
export async function holdPruned(work: Work, why: string): Promise<void> {
  const { payment, context } = work;
  const wait = holdOf('chain_unavailable');
  const since = payment.hold === wait.code ? payment.heldAt : null;
  const isLasting = since !== null && context.clock.now().getTime() - since.getTime() >= PRUNED_PATIENCE_MILLISECONDS;
  if (isLasting) await holdForOperator(work, why);
  else await putOnHold(work, wait);
}

/** Puts the payment on hold until an operator has decided (recheck.ts). */
export async function holdForOperator(work: Work, why: string): Promise<false> {
  work.context.log.error(
    { ...namedInLog(work.payment), network: work.sending.network, why },
    'a refund waits for an operator',
  );
  await putOnHold(work, holdOf('unclear'));
  return false;
}

async function endOrHold(work: Work, why: string): Promise<false> {
  if (!(await isEndAgreed(work.context.pool, work.payment.id, FOR_OPERATOR))) return holdForOperator(work, why);
  const reason = 'Its transaction can never pay it any more, and the operators ended it.';
  await failPayment(work, { reason, isUnpayable: true });
  return false;
}

async function judge({ context, payment }: Work, attempts: readonly SignedAttempt[], judged: Judgement): Promise<void> {
  await underLease(context.pool, payment, (tx) =>
    tx.query({
      name: 'refund-judged',
      text: `UPDATE refund_attempts SET judged = $2 WHERE id = ANY($1) AND status IN ('signed', 'sent')`,
      values: [attempts.map(({ id }) => id), judged],
    }),
  );
}
