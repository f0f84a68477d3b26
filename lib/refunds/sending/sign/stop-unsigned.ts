// Drops a draft whose signature was requested without a response, for example while the signer was down, when the screening has found a
// hit since, or an operator has paused such payments. What the signer signed meanwhile goes on, because nothing can take it back.

import { pauseHold } from '@/lib/refunds/sending/draft/pause';
import { screeningHold } from '@/lib/refunds/sending/draft/screening';
import { underLease } from '@/lib/refunds/sending/lease';
import type { UnsignedAttempt } from '@/lib/refunds/attempts';
import { putOnHold, type Work } from '@/lib/refunds/sending/sending-context';
import { adoptUnknown, refuseAttempt } from './adopt';
import { callOrHold } from './call';

const OUTCOMES = new Map<string, string>([
  ['screened', 'dropped: the screening found a hit before it was signed'],
  ['paused', 'dropped: an operator paused such payments before it was signed'],
]);

/** Null when there is neither, and the signature is requested again. Otherwise whether the payment continues; if not, it is on hold. */
export async function stopUnsigned(work: Work, attempt: UnsignedAttempt): Promise<'continues' | 'idle' | null> {
  const { context, payment } = work;
  if (!payment.destination) return null;
  const hold = (await pauseHold(context.pool, work)) ?? (await screeningHold(context.pool, work, payment.destination));
  const outcome = OUTCOMES.get(hold?.code ?? '');
  if (!hold || outcome === undefined) return null;
  const known = await callOrHold(work, () => adoptUnknown(work, attempt));
  if (known === 'adopted') return 'continues';
  if (known !== 'none') return 'idle';
  await underLease(context.pool, payment, (tx) =>
    refuseAttempt(tx, payment.table, {
      attempt,
      isFirst: false,
      now: context.clock.now(),
      outcome,
    }),
  );
  await putOnHold(work, hold);
  return 'idle';
}
