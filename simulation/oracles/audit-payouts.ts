// Payouts in the audit: owners know what they requested and their own addresses, and get no event about them.

import { centOf } from '@/simulation/chain/units';
import type { SimulatedChain } from '@/simulation/chain/chain';

/** `addresses`: those that the store ever named on the network. */
export type AuditedPayout = {
  readonly store: string;
  readonly network: string;
  readonly currency: string;
  readonly cents: bigint;
  readonly addresses: readonly string[];
};
type Sent = {
  readonly chain: SimulatedChain;
  readonly currency: string;
  readonly amount: bigint;
  readonly recipient: string;
};

/** What left the wallet for requested payouts, each of which takes one transfer, and everything else. */
export function splitSent<T extends Sent>(
  sent: readonly T[],
  requested: readonly AuditedPayout[],
): { readonly paidOut: readonly (T & { readonly store: string })[]; readonly rest: readonly T[] } {
  const open = [...requested];
  const paidOut: (T & { readonly store: string })[] = [];
  const rest = sent.filter((one) => {
    const found = open.findIndex(
      ({ network, currency, cents, addresses }) =>
        network === one.chain.network &&
        currency === one.currency &&
        one.amount === cents * centOf(one.chain, currency) &&
        addresses.includes(one.recipient),
    );
    const [payout] = found < 0 ? [] : open.splice(found, 1);
    if (payout) paidOut.push({ ...one, store: payout.store });
    return payout === undefined;
  });
  return { paidOut, rest };
}
