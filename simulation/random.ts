// Seeded randomness. Everything that decides in a history draws from a `Random`, so that the seed alone determines it.

import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

export type Random = {
  /** An integer from `from` to `to`, both included. */
  readonly int: (from: number, to: number) => number;
  /** True in `percent` of a hundred draws. */
  readonly chance: (percent: number) => boolean;
  /** One of the list. Throws for an empty list. */
  readonly pick: <T>(list: readonly T[]) => T;
  /** One of the list, with a probability in proportion to its weight. */
  readonly weighted: <T extends { readonly weight: number }>(list: readonly T[]) => T;
};

/** Spreads neighbouring numbers over all seeds, so that step 1 of seed 2 has nothing in common with step 2 of seed 1. */
const MIX = 0x9e3779b1;

/**
 * The randomness of one purpose of a history. Every step of a history has its own, so that leaving one step out changes
 * the draws of no other one.
 */
export function openRandom(seed: number, purpose = 0): Random {
  const generator = xoroshiro128plus((Math.imul(seed + 1, MIX) ^ Math.imul(purpose + 1, 0x85ebca6b)) | 0);
  const int = (from: number, to: number): number => uniformInt(generator, from, to);
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new Error('there is nothing to pick from');
    return list[int(0, list.length - 1)] as T;
  };
  return {
    int,
    chance: (percent) => int(1, 100) <= percent,
    pick,
    weighted: (list) => {
      let left = int(
        1,
        list.reduce((sum, { weight }) => sum + weight, 0),
      );
      return list.find(({ weight }) => (left -= weight) <= 0) as (typeof list)[number];
    },
  };
}
