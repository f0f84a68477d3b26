// Money as integers only. "Cents" are minor units of a two-digit currency (USD, USDT, USDC); "base units" are a token
// contract's own integers. Token decimals come from the networks table and are applied here and nowhere else.

/** The currencies that the service settles in, one for one with the dollar (decisions: Payment sessions, Conversion). */
export const STABLECOINS = ['USDT', 'USDC'] as const;
export type Stablecoin = (typeof STABLECOINS)[number];
export const isStablecoin = (code: string): code is Stablecoin => (STABLECOINS as readonly string[]).includes(code);

const CENT_DIGITS = 2;

/** Exact base units of an amount in cents. A token has at least two decimals, so nothing is rounded. */
export function centsToBaseUnits(cents: bigint, decimals: number): bigint {
  if (decimals < CENT_DIGITS) throw new RangeError(`a token with ${decimals} decimals cannot hold cents`);
  return cents * 10n ** BigInt(decimals - CENT_DIGITS);
}

/** Whole cents in an amount of base units, rounded down: a fraction of a cent never counts as one. */
export function baseUnitsToCents(baseUnits: bigint, decimals: number): bigint {
  return baseUnits / 10n ** BigInt(decimals - CENT_DIGITS);
}

/** The most decimals that any token may have; amounts of different tokens are added up at this precision. */
export const COMMON_DECIMALS = 18;

/** An amount of base units at the common precision, so that tokens of different decimals can be added exactly. */
export function toCommon(baseUnits: bigint, decimals: number): bigint {
  if (decimals > COMMON_DECIMALS) throw new RangeError(`more than ${COMMON_DECIMALS} decimals are not supported`);
  return baseUnits * 10n ** BigInt(COMMON_DECIMALS - decimals);
}

/** Whole cents in an amount at the common precision, rounded down. */
export const commonToCents = (amount: bigint): bigint => baseUnitsToCents(amount, COMMON_DECIMALS);

/** Cents as plain decimal text with two digits: 1250n → "12.50". */
export function centsToText(cents: bigint): string {
  const sign = cents < 0n ? '-' : '';
  const digits = (cents < 0n ? -cents : cents).toString().padStart(CENT_DIGITS + 1, '0');
  return `${sign}${digits.slice(0, -CENT_DIGITS)}.${digits.slice(-CENT_DIGITS)}`;
}
