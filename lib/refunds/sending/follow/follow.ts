// Follows a sent payment until it is final: broadcasts the same bytes again while no endpoint has them, and requests a replacement with a
// higher fee when they wait too long. Then it completes the payment, or proves that none of its attempts can land.

import { ChainError } from '@/lib/networks/chain';
import type { AttemptOutcome } from '@/lib/networks/sending/send';
import { crashpoint } from '@/lib/platform/crash-point';
import { broadcastAttempt } from '@/lib/refunds/sending/broadcast';
import { idleUntil, underLease, type Hold } from '@/lib/refunds/sending/lease';
import { completePayment, failPayment } from '@/lib/refunds/sending/finish';
import { isProvenLapsed, sentAttempt, untilFinal, waitAfterLapse } from './facts';
import { replaceAttempt } from '@/lib/refunds/sending/replace';
import { holdForOperator, holdPruned, movedOtherwise, nonceTaken } from './ambiguous-attempt';
import type { SignedAttempt } from '@/lib/refunds/attempts';
import { moveAttempts } from '@/lib/refunds/states';
import {
  asSentence,
  chainHold,
  putOnHold,
  holdOf,
  laterBy,
  namedInLog,
  type Work,
} from '@/lib/refunds/sending/sending-context';

/** Checks attempts that may land, the newest first. True when the payment continues at once; otherwise it is idle or has ended. */
export async function followAttempts(work: Work, live: readonly SignedAttempt[]): Promise<boolean> {
  const { sending, payment } = work;
  const [newest, ...others] = live;
  if (!newest || !payment.destination) throw new Error(`payment ${payment.id} has nothing to follow`);
  // Variants of one nonce share one request. Otherwise the oldest is checked first, because the next exists only if it lapsed.
  const isShared = newest.validity.kind === 'nonce';
  const checked = isShared ? newest : (live.at(-1) ?? newest);
  let outcome: AttemptOutcome;
  try {
    outcome = await sending.sender.outcome(
      sentAttempt(work, checked, isShared ? others : [], payment.destination.address),
    );
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    await putOnHold(work, holdOf('chain_unavailable'));
    return false;
  }
  return applyOutcome(work, { live, checked, outcome });
}

type Followed = {
  readonly live: readonly SignedAttempt[];
  readonly checked: SignedAttempt;
  readonly outcome: AttemptOutcome;
};

async function applyOutcome(work: Work, { live, checked, outcome }: Followed): Promise<boolean> {
  switch (outcome.kind) {
    case 'waiting':
      return stillAbsent(work, { live, checked }, await broadcastAttempt(work, checked));
    case 'seen':
      await recordInBlock(work, outcome);
      // One endpoint has it, or an earlier variant; the others may have dropped it.
      if (outcome.confirmations === 0)
        return stillAbsent(work, { live, checked }, await broadcastAttempt(work, checked));
      if (outcome.alone) return pause(work, checked, await broadcastAttempt(work, checked));
      return pauseInBlock(work, checked, outcome.confirmations);
    case 'landed':
      await completePayment(work, outcome).catch((error: unknown) => quarantineSeen(work, outcome.hash, error));
      return false;
    case 'reverted':
      if (checked.validity.kind !== 'nonce' && live.length > 1) return holdForOperator(work, outcome.reason);
      await failPayment(work, {
        reason: asSentence(`the transaction was final without moving anything: ${outcome.reason}`),
        reverted: outcome.hash,
        fee: outcome.fee,
      }).catch((error: unknown) => quarantineSeen(work, outcome.hash, error));
      return false;
    case 'unclear':
      return movedOtherwise(work, live, outcome);
    case 'pruned':
      if (await isNonceUsed(work, checked)) await recordNonceUsed(work);
      await holdPruned(work, outcome.reason);
      return false;
    case 'lapsed':
      if (checked.validity.kind === 'nonce') return nonceTaken(work, live);
      return isProvenLapsed(checked.validity, outcome)
        ? recordLapsed(work, checked, outcome.reason)
        : pause(work, checked, null);
    default:
      return outcome satisfies never;
  }
}

/**
 * The attempt is in no block yet. It never lapses by time alone, but after some time a higher fee is offered. A higher fee helps neither
 * where no node answers nor where the nodes refuse the transaction for another reason.
 */
async function stillAbsent(
  work: Work,
  { live, checked }: Pick<Followed, 'live' | 'checked'>,
  hold: Hold | null,
): Promise<boolean> {
  const { sending, context } = work;
  const waited = context.clock.now().getTime() - checked.signedAt.getTime();
  const isDue = hold === null ? waited >= sending.intervals.replaceAfter : hold.code === 'fee_too_low';
  if (checked.validity.kind !== 'nonce' || !isDue) return pause(work, checked, hold);
  const replaced = await replaceAttempt(work, live).catch((error: unknown) => {
    const why = chainHold(error);
    if (!why) throw error;
    return why;
  });
  if (replaced === 'requested') return true;
  return pause(work, checked, replaced === 'not_now' ? hold : replaced);
}

async function pause(work: Work, attempt: SignedAttempt, hold: Hold | null): Promise<false> {
  const { sending, context, payment } = work;
  const { recent, old, lease } = sending.intervals;
  const age = context.clock.now().getTime() - attempt.signedAt.getTime();
  if (hold !== null && hold.code !== payment.hold)
    context.log.warn({ ...namedInLog(payment), hold: hold.code, network: sending.network }, hold.message);
  await idleUntil(context, payment, laterBy(work, age < lease ? recent : old), hold);
  return false;
}

async function pauseInBlock(work: Work, attempt: SignedAttempt, confirmations: number): Promise<false> {
  const { sending, context, payment } = work;
  // Requests to a local chain are free, and its tests decide when blocks arrive.
  if (sending.spec.chain === 'local') return pause(work, attempt, null);
  await idleUntil(context, payment, laterBy(work, untilFinal(sending.spec, confirmations, sending.intervals)), null);
  return false;
}

async function recordInBlock(
  { context, payment }: Work,
  seen: Extract<AttemptOutcome, { kind: 'seen' }>,
): Promise<void> {
  await underLease(context.pool, payment, (tx) =>
    moveAttempts(tx, {
      name: 'refund-seen',
      move: 'see',
      set: `sent_at = coalesce(sent_at, $3), confirmations = $4,
              seen_at = CASE WHEN $4 > 0 THEN coalesce(seen_at, $3) ELSE seen_at END`,
      where: 'intent_id = $1 AND hash = $2 AND ended_at IS NULL',
      values: [payment.id, seen.hash, context.clock.now(), seen.confirmations],
    }),
  );
  crashpoint('after-seen');
}

/** Quarantines a payment whose outcome cannot be written. Its transaction is in a block, so it blocks no other payment. */
async function quarantineSeen(work: Work, hash: string, error: unknown): Promise<never> {
  await recordInBlock(work, { kind: 'seen', hash, confirmations: 1 });
  throw error;
}

/** Whether enough endpoints for a final decision report that a transaction with the attempt's nonce is final. */
async function isNonceUsed({ sending }: Work, { draft, validity }: SignedAttempt): Promise<boolean> {
  if (validity.kind !== 'nonce' || !sending.sender.finalNonce) return false;
  try {
    return (await sending.sender.finalNonce(draft.from)) > validity.nonce;
  } catch (error) {
    if (error instanceof ChainError) return false;
    throw error;
  }
}

/** The nonce is used, although it is unknown by which transaction, so it blocks no other payment of the wallet. */
async function recordNonceUsed({ context, payment }: Work): Promise<void> {
  await underLease(context.pool, payment, (tx) =>
    tx.query({
      name: 'refund-nonce-used',
      text: `UPDATE refund_attempts SET seen_at = $2 WHERE intent_id = $1 AND ended_at IS NULL AND seen_at IS NULL`,
      values: [payment.id, context.clock.now()],
    }),
  );
}

async function recordLapsed(work: Work, attempt: SignedAttempt, reason: string): Promise<boolean> {
  const { context, sending, payment } = work;
  const now = context.clock.now();
  await underLease(context.pool, payment, (tx) =>
    moveAttempts(tx, {
      name: 'refund-lapsed',
      move: 'lapse',
      set: 'outcome = $2, ended_at = $3',
      where: 'id = $1',
      values: [attempt.id, reason, now],
    }),
  );
  context.log.info({ ...namedInLog(payment), attempt: attempt.number }, 'a payment lapsed; the worker drafts it again');
  const wait = waitAfterLapse(attempt, sending.intervals, now);
  if (wait === 0) return true;
  await idleUntil(context, payment, laterBy(work, wait), null);
  return false;
}
