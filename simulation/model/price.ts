// The price of a model's session, by the product's conversion and by a naive one.

import { convertToCents, parseDecimal } from '@/lib/money/amounts';
import { CURRENCY_CODES, minorDigits } from '@/lib/money/currencies';
import type { Random } from '@/simulation/random';

/** Cents of the token. Throws when product and naive conversion differ. */
export function dueOf(random: Random): bigint {
  const isSmall = random.chance(15);
  const atPar = BigInt(isSmall ? random.int(1, 5) : random.pick([random.int(6, 5000), random.int(5000, 2_000_000)]));
  if (random.chance(4)) return 10n ** 15n;
  return random.chance(60) ? atPar : converted(random, atPar);
}

function converted(random: Random, amount: bigint): bigint {
  const currency = random.pick(CURRENCY_CODES);
  const digits = minorDigits(currency)!;
  const rate = `${random.int(0, 3)}.${random.int(1, 999_999_999)}`;
  const product = convertToCents({ amount, minorDigits: digits, rate: parseDecimal(rate)! });
  const naive = naiveCents(amount, digits, rate);
  if (product === naive) return product;
  throw new Error(`${amount} minor units of ${currency} at ${rate} are ${product} cents, and not ${naive}`);
}

/** The least number of cents that is worth the amount: every amount is brought to whole numbers first. */
function naiveCents(amount: bigint, digits: number, rate: string): bigint {
  const [whole = '', fraction = ''] = rate.split('.');
  const worth = amount * BigInt(whole + fraction) * 100n;
  const unit = BigInt(`1${'0'.repeat(digits + fraction.length)}`);
  let cents = worth / unit;
  while (cents * unit < worth) cents++;
  return cents;
}
