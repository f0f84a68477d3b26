// The link from the hosted page back to the shop, and whether the page redirects automatically. Pure. The URLs are those that the merchant
// stored with the session, never a part of the page's own URL.

import type { CheckoutFacts } from './facts';
import type { Stage } from './stage';
import type { CheckoutView } from './view';

export type ShopReturn = {
  readonly kind: 'success' | 'cancel';
  readonly url: URL;
  /** The display name: the shop's host, or the store name for a payment link of this installation. */
  readonly name: string;
  /** Whether the page redirects there after a countdown, which the customer can stop. */
  readonly isAutomatic: boolean;
};

/** The link back to the shop; null when the session has no URL for it. */
export function shopReturn(view: CheckoutView, stage: Stage): ShopReturn | null {
  // The customer has paid everything. A cancel link would mislead the shop.
  if (stage === 'confirming') return null;
  // Merchants take the success URL as a sign of payment, so it is not shown before.
  const kind = stage === 'paid' ? 'success' : 'cancel';
  const { facts } = view;
  const url = storedAddress(kind === 'success' ? facts.success_url : facts.cancel_url, facts.environment);
  return url && { kind, url, name: nameOf(url, facts), isAutomatic: isFinished(stage) && !hasMoreToRead(view, stage) };
}

const nameOf = ({ pathname, host }: URL, { store_name }: CheckoutFacts): string =>
  isPaymentLink(pathname) ? store_name : host;

/** A merchant's own page at such a path shows the store name too. */
const isPaymentLink = (pathname: string): boolean => /^\/link\/pl_\w+$/.test(pathname);

/** An expired or failed payment needs the customer's attention, so the page does not redirect. */
const isFinished = (stage: Stage): boolean => stage === 'paid' || stage === 'canceled';

/** Information that only this page shows: a refund, an overpayment, or money that does not count. */
function hasMoreToRead({ facts, refunds, seen }: CheckoutView, stage: Stage): boolean {
  if (refunds.length > 0 || BigInt(facts.amount_received) > BigInt(facts.amount_due)) return true;
  return seen.some(({ verdict }) => verdict !== 'orphaned' && !(stage === 'paid' && verdict === 'counts'));
}

/** Creation enforces the same rule; this check covers rows from elsewhere. */
function storedAddress(text: string | null, environment: CheckoutFacts['environment']): URL | null {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  if (!url) return null;
  return url.protocol === 'https:' || (environment === 'test' && url.protocol === 'http:') ? url : null;
}
