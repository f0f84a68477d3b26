// Money as integers only. "Cents" are minor units of a two-digit currency (USD, USDT, USDC); "base units" are a token
// contract's own integers. Token decimals come from the networks table and are applied only here.

/** The currencies that the service settles in, one for one with the dollar. */
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

/** An amount at the common precision, rounded up to whole cents. */
export const commonToCentsUp = (amount: bigint): bigint => divideUp(amount, COMMON_CENT);

const COMMON_CENT = 10n ** BigInt(COMMON_DECIMALS - CENT_DIGITS);

/**
 * Cents of amounts at the common precision that add up to `total`: each is rounded down, then the missing cents go one each
 * to the amounts that lost most, the first among equals. `total` exceeds the rounded sum by less than a cent for each amount.
 */
export function centsAddingUp(amounts: readonly bigint[], total: bigint): readonly bigint[] {
  const missing = total - amounts.reduce((sum, amount) => sum + commonToCents(amount), 0n);
  const lost = amounts.map((amount, index) => ({ index, lost: amount % COMMON_CENT }));
  const byLoss = lost.toSorted((a, b) => (a.lost === b.lost ? 0 : a.lost > b.lost ? -1 : 1));
  const raised = new Set(byLoss.slice(0, Number(missing > 0n ? missing : 0n)).map(({ index }) => index));
  return amounts.map((amount, index) => commonToCents(amount) + (raised.has(index) ? 1n : 0n));
}

/** Cents as plain decimal text with two digits: 1250n → "12.50". */
export const centsToText = (cents: bigint): string => minorUnitsToText(cents, CENT_DIGITS);

/** Minor units of a currency as plain decimal text with all its digits: 1000n of JPY → "1000", 1500n of KWD → "1.500". */
export function minorUnitsToText(units: bigint, digits: number): string {
  const sign = units < 0n ? '-' : '';
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  return digits === 0 ? `${sign}${text}` : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** An exact decimal number: `units` divided by ten to the power of `digits`. */
export type Decimal = { readonly units: bigint; readonly digits: number };

/** Digits before and after the point, and a power of ten as JSON numbers have it; all bounded, so no text costs much. */
const DECIMAL = /^(\d{1,24})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;

/** The exact number of a text; null when it is not an unsigned decimal. */
export function parseDecimal(text: string): Decimal | null {
  const found = DECIMAL.exec(text);
  if (!found) return null;
  const [, whole = '', fraction = '', power = '0'] = found;
  const digits = fraction.length - Number(power);
  const units = BigInt(whole + fraction);
  return digits >= 0 ? { units, digits } : { units: units * 10n ** BigInt(-digits), digits: 0 };
}

/** A decimal as plain text, without exponent and trailing zeros: "1.0834". */
export function decimalToText({ units, digits }: Decimal): string {
  const text = units.toString().padStart(digits + 1, '0');
  const [whole, fraction] = [text.slice(0, text.length - digits), text.slice(text.length - digits)];
  const rest = fraction.replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}

/**
 * Cents for an amount of another currency: amount × rate, rounded **up** to the cent, so the customer never pays less than the
 * price and at most a cent more. `rate` is the price of one whole unit of the currency.
 */
export function convertToCents(price: { amount: bigint; minorDigits: number; rate: Decimal }): bigint {
  const { amount, minorDigits, rate } = price;
  return divideUp(amount * rate.units * 10n ** BigInt(CENT_DIGITS), 10n ** BigInt(minorDigits + rate.digits));
}

/** The quotient of two non-negative numbers, rounded up. */
export const divideUp = (over: bigint, under: bigint): bigint => (over + under - 1n) / under;
