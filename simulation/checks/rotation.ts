// Which addresses on Solana are read in rotation only: those whose balance has not changed, because as much left as came, and those that
// gained less than a cent which could not complete their session.

import type { SimulatedChain } from '@/simulation/chain/chain';
import { FINE, fineAmount } from '@/simulation/chain/units';
import type { Terms } from '@/simulation/stores';
import type { World } from '@/simulation/world';
import type { Checked } from './check';

/** Base units of a token. */
type Amount = { readonly currency: string; readonly amount: bigint };
type Address = {
  /** What came and what left, and is not stored. */
  readonly came: readonly Amount[];
  readonly left: readonly Amount[];
  /** What its session lacks, in parts of a cent. */
  readonly lacks: bigint;
};

export function isReadInRotation(chain: SimulatedChain, { came, left, lacks }: Address): boolean {
  const gains = new Map<string, bigint>();
  const add = (amounts: readonly Amount[], sign: bigint): void => {
    for (const { currency, amount } of amounts)
      gains.set(currency, (gains.get(currency) ?? 0n) + sign * fineAmount(chain, currency, amount));
  };
  add(came, 1n);
  add(left, -1n);
  const gain = [...gains.values()].reduce((sum, one) => sum + one, 0n);
  const hasLoss = [...gains.values()].some((one) => one < 0n);
  const couldComplete = lacks > 0n && gain >= lacks;
  return !hasLoss && (gain === 0n || (gain < FINE && !couldComplete));
}

/** The price of a session without its stored transfers, in parts of a cent. Negative when it is overpaid. */
export function lacksOf({ chains }: World, { transfers }: Checked['after'], { id, dueCents }: Terms): bigint {
  const received = transfers
    .filter((one) => one.session_id === id)
    .map(({ network, currency, amount }) => {
      const chain = chains.find((one) => one.network === network);
      return chain ? fineAmount(chain, currency, BigInt(amount)) : 0n;
    });
  return received.reduce((lacking, one) => lacking - one, dueCents * FINE);
}
