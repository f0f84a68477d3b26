// The next action for a payment that is being processed. Pure: it follows from the payment, its attempts, the time and the chain that is
// followed now. It never depends on a worker's memory, so any worker can continue the payment where it is.

import { isLive, isOpen, type Attempt, type SignedAttempt, type UnsignedAttempt } from '@/lib/refunds/attempts';
import type { LeasedPayment } from '@/lib/refunds/rows';

/**
 * `wait`: it can still be canceled. `abandon`: these attempts are on a chain that is no longer followed. `settle`: this draft may have been
 * signed; the worker repeats the signature request until it gets a response. `broadcast`: this attempt was never sent to an endpoint.
 * `follow`: these attempts, the newest first, may land. `draft`: none of its attempts can land; `lapsed` is the last one, and `isLast`
 * means that no further signature is allowed. `none`: an operator has to decide first.
 */
export type Action =
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly until: Date }
  | { readonly kind: 'abandon'; readonly attempts: readonly Attempt[] }
  | { readonly kind: 'settle'; readonly attempt: UnsignedAttempt; readonly live: readonly SignedAttempt[] }
  | { readonly kind: 'broadcast'; readonly attempt: SignedAttempt; readonly live: readonly SignedAttempt[] }
  | { readonly kind: 'follow'; readonly live: readonly SignedAttempt[] }
  | { readonly kind: 'draft'; readonly lapsed: SignedAttempt | null; readonly isLast: boolean };

/** Signed transactions per payment. The signer signs sixty at most; the remainder is reserved for an operator. */
export const MAX_SIGNED = 50;

/** The hold that only an operator ends. */
export const FOR_OPERATOR = 'unclear';

/** `attempts`: the oldest first. `chainId`: the row of the chain that is followed now. Throws when a final outcome was not written. */
export function nextAction(
  payment: Pick<LeasedPayment, 'id' | 'hold' | 'signAfter'>,
  attempts: readonly Attempt[],
  { now, chainId }: { readonly now: Date; readonly chainId: number },
): Action {
  if (payment.hold === FOR_OPERATOR) return { kind: 'none' };
  const ended = attempts.find(({ status }) => status === 'landed' || status === 'reverted');
  if (ended) throw new Error(`attempt ${ended.number} of payment ${payment.id} has ended, but the payment has not`);
  const elsewhere = attempts.filter((one) => isOpen(one) && one.chainId !== chainId);
  if (elsewhere.length > 0) return { kind: 'abandon', attempts: elsewhere };
  const live = attempts.filter(isLive).toReversed();
  const drafted = attempts.find((one): one is UnsignedAttempt => one.status === 'drafted');
  if (drafted) return { kind: 'settle', attempt: drafted, live };
  const [newest] = live;
  if (newest)
    return newest.status === 'signed' ? { kind: 'broadcast', attempt: newest, live } : { kind: 'follow', live };
  if (now < payment.signAfter) return { kind: 'wait', until: payment.signAfter };
  const signed = attempts.filter((one): one is SignedAttempt => one.hash !== null);
  return { kind: 'draft', lapsed: signed.at(-1) ?? null, isLast: signed.length >= MAX_SIGNED };
}

/** The order in which a worker handles several leased payments: those in progress before new ones. */
export const URGENCY: Readonly<Record<Action['kind'], number>> = {
  settle: 0,
  abandon: 1,
  broadcast: 1,
  follow: 2,
  none: 3,
  wait: 3,
  draft: 4,
};
