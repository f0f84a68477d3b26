// Which of a store's coins a refund is taken from. Pure.

import { baseUnitsToCents, centsToBaseUnits } from '@/lib/money';
import type { RefundSource } from './postings';

/** Decimals of a token on a network of the environment in question. */
export type DecimalsOf = (asset: { readonly network: string; readonly currency: string }) => number;

/**
 * The parts of what is held that together are worth `paid`, at par: first of its own token and network, then of the other
 * token there, then of other networks, the largest first. Null when all of it is not enough. Parts are whole cents, so that
 * tokens of different decimals make up the amount exactly.
 */
export function drawFrom(
  held: readonly RefundSource[],
  paid: RefundSource,
  decimalsOf: DecimalsOf,
): readonly RefundSource[] | null {
  const centsOf = (one: RefundSource): bigint => baseUnitsToCents(one.amount, decimalsOf(one));
  const parts: RefundSource[] = [];
  let rest = centsOf(paid);
  const byNearness = held
    .map((one) => ({ one, cents: centsOf(one) }))
    .filter(({ cents }) => cents > 0n)
    .toSorted((a, b) => distance(a.one, paid) - distance(b.one, paid) || Number(b.cents - a.cents));
  for (const { one, cents } of byNearness) {
    if (rest === 0n) break;
    const taken = cents < rest ? cents : rest;
    parts.push({ network: one.network, currency: one.currency, amount: centsToBaseUnits(taken, decimalsOf(one)) });
    rest -= taken;
  }
  return rest === 0n ? parts : null;
}

const distance = (one: RefundSource, paid: RefundSource): number => {
  if (one.network !== paid.network) return 2;
  return one.currency === paid.currency ? 0 : 1;
};
