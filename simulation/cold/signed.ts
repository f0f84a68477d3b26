// What the worker asked the signer to sign for cold transfers, each with what the chain and the people of the history said at that moment:
// what the refund wallet had at finality, and what had been requested from it.

import type { SimulatedChain } from '@/simulation/chain/chain';
import { centOf } from '@/simulation/chain/units';
import { WALLET } from '@/simulation/parties';
import type { RequestedPayout } from '@/simulation/payouts/records';
import type { SignCall } from '@/simulation/payouts/signed';
import type { RefundRequest } from '@/simulation/stores';

/** What was so when the call began. */
export type ColdFacts = {
  /** The newest final block. */
  readonly final: number;
  /** Base units in the refund wallet at that block. */
  readonly balance: bigint;
  readonly refunds: readonly RefundRequest[];
  readonly payouts: readonly RequestedPayout[];
};

export type ColdCall = SignCall & { readonly facts: ColdFacts };
export type ColdLook = (of: { readonly network: string; readonly currency: string }) => ColdFacts;

/** Base units of a token in the refund wallet after the newest final block, by the chain alone. */
export function walletBalance(
  {
    chains,
    firstFunds,
  }: { readonly chains: readonly SimulatedChain[]; readonly firstFunds: ReadonlyMap<string, bigint> },
  { network, currency }: { readonly network: string; readonly currency: string },
): bigint {
  const chain = chains.find((one) => one.network === network);
  if (!chain) return 0n;
  const [token, wallet] = [chain.spec.tokens[currency]?.contract, WALLET[chain.spec.family]];
  const first = (firstFunds.get(network) ?? 0n) * 100n * centOf(chain, currency);
  return chain
    .transfers(chain.final())
    .filter((one) => one.token === token)
    .reduce(
      (sum, one) => sum + (one.recipient === wallet ? one.amount : 0n) - (one.payer === wallet ? one.amount : 0n),
      first,
    );
}
