// Why nothing is swept on a network now, and why an address was not moved. The codes are stored; pages say them in words.

/**
 * `paused`: an operator paused the network. `frozen`: the signer signs nothing. `signer_unavailable`, `chain_unavailable`: no answer.
 * `treasury_differs`: TREASURY_WALLETS and the signer's settings name different wallets. `treasury_blocked`: the issuer of a token
 * has frozen the treasury's account, or the treasury is no wallet. `sponsor_low`: the sponsor has too little coin.
 * `sponsor_has_code`: it delegates to code, so it must be replaced by the spare one. `no_factory`: the chain lacks the contract that
 * deploys others. `fee_too_high`: above the network's limit, or above what the money is worth. `budget`: the signer's fee budget is
 * used up. `no_energy`: the sponsor can lend no more energy today, and the money is not worth burning coin. `signer_refuses`: for
 * another reason, which the log of the worker has. `keys_offline`: no endpoint takes EIP-7702, and only the keys of the deposit
 * addresses, which are not here, could sweep without it. `factory_differs`: what the settings name for new deposit addresses on TRON is not
 * the contract of the signer's wallets.
 */
export type SweepHold =
  | 'paused'
  | 'frozen'
  | 'signer_unavailable'
  | 'chain_unavailable'
  | 'treasury_differs'
  | 'sponsor_low'
  | 'treasury_blocked'
  | 'sponsor_has_code'
  | 'no_factory'
  | 'fee_too_high'
  | 'budget'
  | 'no_energy'
  | 'signer_refuses'
  | 'keys_offline'
  | 'factory_differs';

/**
 * `foreign_delegation`: the address runs code that is not ours, so its key may be stolen. `not_authorized`: the signer has no key of it or
 * never gave it, or no authorization of it was signed in advance. `other_factory`: the contract of its forwarder is not in the signer's
 * settings, or was made for other wallets. `refused`: the token did not move it, as for a blocked address. `reverted`: the whole
 * transaction failed.
 */
export const SKIPS = ['foreign_delegation', 'not_authorized', 'other_factory', 'refused', 'reverted'] as const;
export type SkipReason = (typeof SKIPS)[number];
