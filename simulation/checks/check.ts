// What a check is: it reads the snapshot, the simulated chains and what receivers got, and returns sentences about what
// must not be. It shares no code with the rules of the product that it judges.

import type { SimulatedChain } from '@/simulation/chain/chain';
import type { Snapshot } from '@/simulation/snapshot';
import type { Story } from '@/simulation/story';
import type { World } from '@/simulation/world';

export type Checked = {
  readonly world: World;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly story: Story;
};
export type Check = (checked: Checked) => readonly string[];

/** The base units of one cent. */
export const centOf = ({ spec }: SimulatedChain, currency: string): bigint =>
  10n ** BigInt((spec.tokens[currency]?.decimals ?? 2) - 2);

/** Parts of a cent. Every amount of every token is a whole number of them. */
export const FINE = 10n ** 16n;
export const fineAmount = (chain: SimulatedChain, currency: string, amount: bigint): bigint =>
  (amount * FINE) / centOf(chain, currency);
