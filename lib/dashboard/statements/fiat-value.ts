// The value of tokens in the currency of their order, as one expression for every file, so that the sums of two files agree.

import { minorDigits } from '@/lib/money/currencies';
import { minorUnitsToText } from '@/lib/money/amounts';

/**
 * SQL: what base units are worth in minor units of the currency of the session `s`: the price times the share that the units are
 * of the amount due. An exact payment is worth exactly the price. Rounded to the nearest unit, halves up; null without a price.
 */
export function fiatValueSql(baseUnits: string, decimals: string): string {
  const due = `(s.amount_due * ('1e' || (${decimals} - 2))::numeric)`;
  return `div(2 * s.amount_total::numeric * ${baseUnits} + ${due}, nullif(2 * ${due}, 0))`;
}

/** USDT and USDC are not in ISO 4217, but have cents like USD. */
const CENT_DIGITS = 2;

/** Minor units as decimal text in whole units of the currency. */
export const fiatText = (units: string, currency: string): string =>
  minorUnitsToText(BigInt(units), minorDigits(currency) ?? CENT_DIGITS);
