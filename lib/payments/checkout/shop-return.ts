// Where the hosted page leads the customer when nothing is left to do on it, and whether it goes there by itself. Pure; the
// addresses are the ones that the merchant stored with the session, never a part of the page's own address.

import type { CheckoutFacts } from './facts';
import type { Stage } from './stage';
import type { CheckoutView } from './view';

export type ShopReturn = {
  readonly kind: 'success' | 'cancel';
  readonly url: URL;
  /** What the customer knows it by: the shop's host, or the store where the way leads to its payment link here. */
  readonly name: string;
  /** Whether the page goes there without a click, after a countdown that the customer can stop. */
  readonly isAutomatic: boolean;
};

/** The way back to the shop; null where the session has no address to lead to. */
export function shopReturn(view: CheckoutView, stage: Stage): ShopReturn | null {
  // The customer has sent everything. A link that tells the shop of a cancellation would be wrong now.
  if (stage === 'confirming') return null;
  // The success address is the merchant's sign that money arrived, so it is not shown before it did.
  const kind = stage === 'paid' ? 'success' : 'cancel';
  const { facts } = view;
  const url = storedAddress(kind === 'success' ? facts.success_url : facts.cancel_url, facts.environment);
  return url && { kind, url, name: nameOf(url, facts), isAutomatic: isFinished(stage) && !hasMoreToRead(view, stage) };
}

const nameOf = ({ pathname, host }: URL, { store_name }: CheckoutFacts): string =>
  isPaymentLink(pathname) ? store_name : host;

/** A merchant's own page at such a path is named by its store too. */
const isPaymentLink = (pathname: string): boolean => /^\/link\/pl_\w+$/.test(pathname);

/** An expired or failed payment needs the customer's attention, so the page stays. */
const isFinished = (stage: Stage): boolean => stage === 'paid' || stage === 'canceled';

/** Something that only this page says: a refund, too much paid, or money that arrived and does not count. */
function hasMoreToRead({ facts, refunds, seen }: CheckoutView, stage: Stage): boolean {
  if (refunds.length > 0 || BigInt(facts.amount_received) > BigInt(facts.amount_due)) return true;
  return seen.some(({ verdict }) => verdict !== 'orphaned' && !(stage === 'paid' && verdict === 'counts'));
}

/** Creation accepts the same addresses; this holds for rows from elsewhere too. */
function storedAddress(text: string | null, environment: CheckoutFacts['environment']): URL | null {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (!url) return null;
  return url.protocol === 'https:' || (environment === 'test' && url.protocol === 'http:') ? url : null;
}
