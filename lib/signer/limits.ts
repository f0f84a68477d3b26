// What a new payment may cost beside those that were signed: nonces without gaps, cents per hour and day, and what its session paid.

import type { Validity } from '@/lib/chains/send';
import type { Book } from './book';
import type { Allowed, Limits } from './policy';
import type { SignerState } from './protocol';
import { Refusal } from './refusal';

/** New intents use the nonces one after the other: none is left out, none is used for two. */
export function checkNonce(book: Book, { spec }: Allowed, validity: Validity): void {
  if (validity.kind !== 'nonce') return;
  const next = book.nextNonce(spec.network, spec.chain);
  if (next !== null && validity.nonce !== next) throw new Refusal('nonce', 'the draft does not use the next nonce');
}

/**
 * Throws a Refusal of code `limit`. A payment that lapsed and is signed again must not use up what other payments may use. But
 * only the worker says that it lapsed, and a worker that was taken over could say so of payments that landed. So repeated
 * attempts have limits of their own, half of the others: such a worker gets at most half as much again.
 */
export function checkLimits(
  book: Book,
  limits: Limits,
  { order, cents }: Allowed,
  { now, isRepeated }: { readonly now: number; readonly isRepeated: boolean },
): void {
  const { environment, currency, evidence, intentId } = order;
  const { hour, day } = book.spentBefore(now, { environment, currency, isRepeated });
  const [share, what] = isRepeated ? [2n, ' for payments that lapsed'] : [1n, ''];
  if (hour + cents > limits.perHour / share) throw new Refusal('limit', `the limit per hour${what} is reached`);
  if (day + cents > limits.perDay / share) throw new Refusal('limit', `the limit per day${what} is reached`);
  const others = book.refundedOf(environment, evidence.session, intentId);
  if (others + cents > BigInt(evidence.mostCents)) {
    throw new Refusal('limit', 'the refunds of the session would be more than it paid');
  }
}

export const limitsShown = ({ perRefund, perHour, perDay }: Limits): SignerState['limits'] => ({
  perRefund: String(perRefund),
  perHour: String(perHour),
  perDay: String(perDay),
});
