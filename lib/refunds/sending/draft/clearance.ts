// Whether a payment may be drafted now, by its own rules: it has a destination, nothing holds it back, and it is covered. And whether
// operators have ended it.

import { isEndAgreed } from '@/lib/refunds/approval/force-fail-agreed';
import { putOnHold, type SendingContext, type Work } from '@/lib/refunds/sending/sending-context';
import { callOrHold } from '@/lib/refunds/sending/sign/call';
import type { Destination } from '@/lib/refunds/rows';
import type { SignerState } from '@/lib/signer/client';
import { requestAnswers } from './screening';
import { signingHold } from './signing-hold';

/** `ended`: why it fails now, because operators ended it. Its destination is null when nothing of it was ever requested. */
export type Cleared =
  | { readonly ended: null; readonly destination: Destination }
  | { readonly ended: string; readonly destination: Destination | null };

const DECLINED = 'the operator declined it. The amount is available again';
const ENDED = 'it was not paid, and the operators ended it';

/** Null: the payment is on hold or idle. */
export async function clearPayment(
  work: Work,
  { evidenceKey }: NonNullable<SendingContext['signer']>,
  state: SignerState,
): Promise<Cleared | null> {
  const { context, sending, payment, rules } = work;
  // The operators' decision stands even if its cause is gone.
  if (await isEndAgreed(context.pool, payment.id, 'screened'))
    return { ended: ENDED, destination: payment.destination };
  const destination = await rules.chooseDestination(work, state.wallets[sending.environment][sending.spec.family]);
  if (!destination) return null;
  await requestAnswers(work, destination);
  const hold = await signingHold(context.pool, work, destination);
  if (hold && hold.code !== 'paused') return idle(putOnHold(work, hold));
  const approved = await rules.isApproved(work, destination, state);
  if (approved === 'declined') return { ended: DECLINED, destination };
  if (!approved) return null;
  // A pause applies after the approval, so that it hides no request for approval.
  if (hold) return idle(putOnHold(work, hold));
  const isCovered = await callOrHold(work, () => rules.isBacked(work, evidenceKey));
  if (isCovered === false) return idle(putOnHold(work, await rules.unbackedHold(work)));
  if (isCovered === null || !(await rules.isConvertible(work))) return null;
  return { ended: null, destination };
}

async function idle(idling: Promise<void>): Promise<null> {
  await idling;
  return null;
}
