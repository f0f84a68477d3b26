// Decides what one deposit address on TRON needs next, from what the chain says now. It needs an account, bandwidth, and energy for the
// transfer: lent by the sponsor's stake, or bought with coin that the sponsor sends. Pure. Amounts are sun.

import {
  stakeFor,
  type DepositState,
  type SponsorState,
  type SweepPrices,
} from '@/lib/networks/families/tron/sweeping/chain';

export type Facts = {
  readonly deposit: Pick<DepositState, 'isActive' | 'coin' | 'energy' | 'bandwidth'>;
  /** Energy of its transfer. */
  readonly energy: bigint;
  readonly prices: SweepPrices;
  readonly sponsor: Pick<SponsorState, 'lendable' | 'total'>;
  /** Whether the money is worth so much burned coin. */
  readonly mayBurn: (cost: bigint) => boolean;
};

export type Step =
  | { readonly kind: 'transfer' }
  | { readonly kind: 'activate' }
  | { readonly kind: 'delegate'; readonly balance: bigint }
  | { readonly kind: 'top_up'; readonly amount: bigint }
  /** Rented energy is on its way (rent.ts). */
  | { readonly kind: 'rent' }
  /** The sponsor can lend too little today, and the money is not worth burning coin. */
  | { readonly kind: 'wait' };

/** Bytes of a token transfer, with the result that the network adds. */
const TRANSFER_BYTES = 345n;
/** The penalty of a busy contract may rise between two transactions of a sweep. */
const [ENERGY_MORE, ENERGY_OF] = [105n, 100n];
/** The network lends no less. */
const LEAST_LENT = 1_000_000n;

export function nextStep({ deposit, energy, prices, sponsor, mayBurn }: Facts): Step {
  const { isActive, coin } = deposit;
  const missing = energy > deposit.energy ? energy - deposit.energy : 0n;
  const bandwidth = deposit.bandwidth >= TRANSFER_BYTES || !isActive ? 0n : TRANSFER_BYTES * prices.bandwidth;
  const burned = missing * prices.energy + bandwidth;
  if (isActive && coin >= burned) return { kind: 'transfer' };
  const balance = stakeToLend(sponsor, missing);
  if (missing > 0n && balance <= sponsor.lendable)
    return isActive ? { kind: 'delegate', balance } : { kind: 'activate' };
  // Exactly what the transfer burns, so that nothing is left behind.
  const amount = burned - coin;
  const cost = burned + (isActive ? 0n : prices.activation);
  if (amount > 0n && (missing === 0n || mayBurn(cost))) return { kind: 'top_up', amount };
  return { kind: 'wait' };
}

/** Sun of the sponsor's stake that gives an address this much more energy. */
export function stakeToLend({ total }: Pick<SponsorState, 'total'>, energy: bigint): bigint {
  // A network without stakes has nothing to lend.
  if (total.energy === 0n) return (1n << 64n) - 1n;
  const balance = stakeFor(total, (energy * ENERGY_MORE + ENERGY_OF - 1n) / ENERGY_OF);
  return balance > LEAST_LENT ? balance : LEAST_LENT;
}
