// What is next for a refund that is being processed. Pure: it follows from the refund, its attempts, the time and the chain
// that is followed now, and from nothing that a worker remembers, so that whoever takes the refund up goes on where it is.

import {
  isLive,
  isOpen,
  type Attempt,
  type SignedAttempt,
  type TakenRefund,
  type UnsignedAttempt,
} from '@/lib/refunds/rows';

/**
 * `wait`: it can still be canceled. `strand`: these attempts are for a chain that is no longer followed. `settle`: this draft
 * may have been signed; the signer is asked with it again, and with no other before it is known. `broadcast`: this attempt
 * was never handed to an endpoint. `follow`: these, the newest first, may land. `draft`: nothing of it can land; `lapsed` is
 * the attempt that came last, and `isLast` that it was signed as often as it may be. `none`: a person has to look first.
 */
export type Action =
  | { readonly kind: 'none' }
  | { readonly kind: 'wait'; readonly until: Date }
  | { readonly kind: 'strand'; readonly attempts: readonly Attempt[] }
  | { readonly kind: 'settle'; readonly attempt: UnsignedAttempt; readonly live: readonly SignedAttempt[] }
  | { readonly kind: 'broadcast'; readonly attempt: SignedAttempt; readonly live: readonly SignedAttempt[] }
  | { readonly kind: 'follow'; readonly live: readonly SignedAttempt[] }
  | { readonly kind: 'draft'; readonly lapsed: SignedAttempt | null; readonly isLast: boolean };

/** Signed transactions of one refund. The signer makes sixty at most; some are left for a person. */
export const MOST_SIGNED = 50;

/** The hold that only a person ends. */
export const FOR_A_PERSON = 'unclear';

/** `attempts` the oldest first; `chainId` is the row of the chain that is followed now. Throws when an end was not written. */
export function nextAction(
  refund: Pick<TakenRefund, 'id' | 'hold' | 'signAfter'>,
  attempts: readonly Attempt[],
  { now, chainId }: { readonly now: Date; readonly chainId: number },
): Action {
  if (refund.hold === FOR_A_PERSON) return { kind: 'none' };
  const ended = attempts.find(({ status }) => status === 'landed' || status === 'reverted');
  if (ended) throw new Error(`attempt ${ended.number} of refund ${refund.id} is over, and the refund is not`);
  const elsewhere = attempts.filter((one) => isOpen(one) && one.chainId !== chainId);
  if (elsewhere.length > 0) return { kind: 'strand', attempts: elsewhere };
  const live = attempts.filter(isLive).toReversed();
  const drafted = attempts.find((one): one is UnsignedAttempt => one.status === 'drafted');
  if (drafted) return { kind: 'settle', attempt: drafted, live };
  const [newest] = live;
  if (newest)
    return newest.status === 'signed' ? { kind: 'broadcast', attempt: newest, live } : { kind: 'follow', live };
  if (now < refund.signAfter) return { kind: 'wait', until: refund.signAfter };
  const signed = attempts.filter((one): one is SignedAttempt => one.hash !== null);
  return { kind: 'draft', lapsed: signed.at(-1) ?? null, isLast: signed.length >= MOST_SIGNED };
}

/** What is done first when a worker has taken several: what is begun before what is new. */
export const URGENCY: Readonly<Record<Action['kind'], number>> = {
  settle: 0,
  strand: 1,
  broadcast: 1,
  follow: 2,
  none: 3,
  wait: 3,
  draft: 4,
};
