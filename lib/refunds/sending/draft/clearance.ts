// Whether a payment may be drafted now, by its own rules: it has a destination, nothing holds it back, and it is covered.

import type { Hold } from '@/lib/refunds/sending/lease';
import { putOnHold, type SendingContext, type Work } from '@/lib/refunds/sending/sending-context';
import { callOrHold } from '@/lib/refunds/sending/sign/call';
import type { Destination } from '@/lib/refunds/rows';
import type { SignerState } from '@/lib/signer/client';
import { screen } from './screening';

/** `screened`: why the screening holds it back. `isDeclined`: the operator declined it. Otherwise it may be drafted. */
export type Cleared = {
  readonly destination: Destination;
  readonly screened: Hold | null;
  readonly isDeclined: boolean;
};

/** Null: the payment is on hold or idle. */
export async function clearPayment(
  work: Work,
  { evidenceKey }: NonNullable<SendingContext['signer']>,
  state: SignerState,
): Promise<Cleared | null> {
  const { sending, rules } = work;
  const destination = await rules.chooseDestination(work, state.wallets[sending.environment][sending.spec.family]);
  if (!destination) return null;
  const screened = await screen(work, destination);
  if (screened) return { destination, screened, isDeclined: false };
  const approved = await rules.isApproved(work, destination, state);
  if (approved === 'declined') return { destination, screened: null, isDeclined: true };
  if (!approved) return null;
  const isCovered = await callOrHold(work, () => rules.isBacked(work, evidenceKey));
  if (isCovered === false) {
    await putOnHold(work, await rules.unbackedHold(work));
    return null;
  }
  if (isCovered === null || !(await rules.isConvertible(work))) return null;
  return { destination, screened: null, isDeclined: false };
}
