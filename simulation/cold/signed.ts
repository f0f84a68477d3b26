// What the worker asked the signer to sign for cold transfers, each with what the chain and the people of the history said at that moment:
// what the refund wallet had at finality, and what had been requested from it.

import type { RequestedPayout } from '@/simulation/payouts/records';
import type { SignCall } from '@/simulation/payouts/signed';
import type { RefundRequest } from '@/simulation/stores';

/** What was so when the call began. */
type ColdFacts = {
  /** The newest final block. */
  readonly final: number;
  /** Base units in the refund wallet at that block. */
  readonly balance: bigint;
  readonly refunds: readonly RefundRequest[];
  readonly payouts: readonly RequestedPayout[];
};

export type ColdCall = SignCall & { readonly facts: ColdFacts };
export type ColdLook = (of: { readonly network: string; readonly currency: string }) => ColdFacts;
