// Why nothing is swept on a network now, and why an address was not moved. The codes are stored; pages say them in words.

/**
 * `paused`: an operator paused the network. `frozen`: the signer signs nothing. `signer_unavailable`, `chain_unavailable`: no answer.
 * `treasury_differs`: TREASURY_WALLETS and the signer's settings name different wallets. `sponsor_low`: the sponsor has too little
 * coin. `fee_too_high`: above the network's limit, or above what the money is worth. `budget`: the signer's fee budget is used up.
 * `signer_refuses`: for another reason, which the log of the worker has.
 */
export type SweepHold =
  | 'paused'
  | 'frozen'
  | 'signer_unavailable'
  | 'chain_unavailable'
  | 'treasury_differs'
  | 'sponsor_low'
  | 'fee_too_high'
  | 'budget'
  | 'signer_refuses';

/**
 * `foreign_delegation`: the address runs code that is not ours, so its key may be stolen. `refused`: the token did not move it, as
 * for a blocked address. `reverted`: the whole transaction failed. `not_authorized`: the signer does not delegate it, for example
 * because it never gave that address.
 */
export const SKIPS = ['foreign_delegation', 'refused', 'reverted'] as const;
export type SkipReason = (typeof SKIPS)[number] | 'not_authorized';
