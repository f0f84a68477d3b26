// Drops a draft whose signature was requested without a response, for example while the signer was down, when the screening has found a
// hit since, or an operator has paused such payments. What the signer signed meanwhile goes on, because nothing can take it back.

import { stopOfRepeated } from '@/lib/refunds/sending/draft/signing-hold';
import { underLease } from '@/lib/refunds/sending/lease';
import type { UnsignedAttempt } from '@/lib/refunds/attempts';
import { putOnHold, type Work } from '@/lib/refunds/sending/sending-context';
import { adoptUnknown, refuseAttempt } from './adopt';
import { callOrHold } from './call';

/** Null when there is neither, and the signature is requested again. Otherwise whether the payment continues; if not, it is on hold. */
export async function stopUnsigned(work: Work, attempt: UnsignedAttempt): Promise<'continues' | 'idle' | null> {
  const { context, payment } = work;
  if (!payment.destination) return null;
  const stop = await stopOfRepeated(context.pool, work, payment.destination);
  if (!stop) return null;
  const known = await callOrHold(work, () => adoptUnknown(work, attempt));
  if (known === 'adopted') return 'continues';
  if (known !== 'none') return 'idle';
  await underLease(context.pool, payment, (tx) =>
    refuseAttempt(tx, payment.table, {
      attempt,
      isFirst: false,
      now: context.clock.now(),
      outcome: `dropped: ${stop.why}`,
    }),
  );
  await putOnHold(work, stop.hold);
  return 'idle';
}
