// The definition of a test payment on any local chain: the scenarios of the `pay` test helper, and the refusal of an impossible payment.
// The caller sets the amount, and the scenario sets how it is paid.

import type { NetworkSpec, Token } from '@/lib/networks/networks';

export const SCENARIOS = [
  'exact',
  'partial',
  'over',
  'wrong_token',
  'fake_token',
  'failed',
  'reorged',
  'split',
  'batch',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** An address of the network, and its amount. */
export type Share = { readonly recipient: string; readonly cents: bigint };

export type Payment = Share & {
  /** `USDT` or `USDC`. */
  readonly currency: string;
  readonly scenario: Scenario;
  /** The other recipient of a `batch`; without one a stranger gets a dollar. */
  readonly other?: Share | undefined;
};

/** A payment or a reorg that is not possible; the message is for the caller. */
export class PaymentRefused extends Error {}

/** How long a `reorged` payment is visible. The tip is read about once a second. */
export const VISIBLE_MS = 3000;
export const STRANGERS_CENTS = 100n;

/** The token of a currency. Throws PaymentRefused when the network has none. */
export function tokenFor({ network, tokens }: NetworkSpec, currency: string): Token {
  const found = tokens[currency];
  if (!found) throw new PaymentRefused(`${network} has no ${currency}`);
  return found;
}

/** Another currency that the network has. Throws PaymentRefused when there is none. */
export function otherCurrency({ network, tokens }: NetworkSpec, currency: string): string {
  const other = Object.keys(tokens).find((name) => name !== currency);
  if (!other) throw new PaymentRefused(`${network} has no other token than ${currency}`);
  return other;
}

/** The two parts of a `split`. Throws PaymentRefused for a single cent. */
export function halves(cents: bigint): readonly [bigint, bigint] {
  const first = cents / 2n;
  if (first === 0n) throw new PaymentRefused('one cent cannot be split');
  return [first, cents - first];
}
