// The limits of the numbers that an amount passes through: integers of programs, columns and contracts, and decimal numbers.

import type { Random } from './random';

/** Bits with and without a sign. */
const BITS = [31, 32, 53, 63, 64, 96, 127, 128, 192, 255, 256];
/** Digits of columns, and what a floating-point number writes without an exponent. */
const DIGITS = [15, 17, 18, 21, 30, 38, 65, 78];
const LIMITS = [...BITS.map((bits) => 2n ** BigInt(bits)), ...DIGITS.map((digits) => 10n ** BigInt(digits))];

/**
 * Base units at a limit, or one more or less: of the token's base units, cents, or whole tokens, up to `most`. Null when there is no
 * such amount.
 */
export function drawAtLimit(
  random: Random,
  { cent, most }: { readonly cent: bigint; readonly most: bigint },
): bigint | null {
  const unit = random.pick([1n, 1n, cent, 100n * cent]);
  const around = BigInt(random.int(-1, 1));
  const possible = LIMITS.map((limit) => limit * unit + around).filter((amount) => amount <= most);
  return possible.length > 0 ? random.pick(possible) : null;
}
