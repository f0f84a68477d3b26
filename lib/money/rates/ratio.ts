// Exact fractions of two integers: the inverse of a price often has no finite decimal. Rates are compared and averaged as fractions.
// Only the rate that a merchant sees is rounded, once and upwards.

import { divideUp, type Decimal } from '@/lib/money/amounts';

/** Always above zero. */
export type Ratio = { readonly numerator: bigint; readonly denominator: bigint };

export const ratioOf = ({ units, digits }: Decimal): Ratio => ({
  numerator: units,
  denominator: 10n ** BigInt(digits),
});
export const inverse = ({ numerator, denominator }: Ratio): Ratio => ({
  numerator: denominator,
  denominator: numerator,
});
export const multiply = (one: Ratio, other: Ratio): Ratio => ({
  numerator: one.numerator * other.numerator,
  denominator: one.denominator * other.denominator,
});
export const mean = (one: Ratio, other: Ratio): Ratio => ({
  numerator: one.numerator * other.denominator + other.numerator * one.denominator,
  denominator: 2n * one.denominator * other.denominator,
});

/** Below zero when `one` is the smaller, above when it is the larger, else zero: an order for `sort`. */
export function compare(one: Ratio, other: Ratio): number {
  const sign = one.numerator * other.denominator - other.numerator * one.denominator;
  return sign < 0n ? -1 : sign > 0n ? 1 : 0;
}

/** Whether the larger of the two exceeds the smaller by at most this percentage of the smaller. */
export const isWithin = (one: Ratio, other: Ratio, percent: number): boolean =>
  isWithinBasisPoints(one, other, percent * 100);

/** The same in hundredths of a percent. */
export function isWithinBasisPoints(one: Ratio, other: Ratio, basisPoints: number): boolean {
  const [small, large] = compare(one, other) <= 0 ? [one, other] : [other, one];
  return compare(large, multiply(small, { numerator: 10_000n + BigInt(basisPoints), denominator: 10_000n })) <= 0;
}

/** The median; for an even number the exact mean of the two in the middle. Null for an empty list. */
export function median(ratios: readonly Ratio[]): Ratio | null {
  const sorted = ratios.toSorted(compare);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.floor((sorted.length - 1) / 2)];
  if (!upper || !lower) return null;
  return upper === lower ? upper : mean(lower, upper);
}

/** The nearest decimal that is not smaller, with at least this many significant digits unless fewer are exact. */
export function roundUp({ numerator, denominator }: Ratio, significantDigits: number): Decimal {
  // The quotient's leading digit is at this power of ten, or at the next one below.
  const power = numerator.toString().length - denominator.toString().length;
  const digits = Math.max(0, significantDigits - power);
  return { units: divideUp(numerator * 10n ** BigInt(digits), denominator), digits };
}
