// What the parsers of all sources share: JSON whose numbers keep their text, exact prices, and the choice of the currencies
// that matter. A price that is zero, negative, not a number or beyond belief is left out: that source then has no voice for it.

import { z } from 'zod';
import { isCoin } from '@/lib/networks/coins';
import { minorDigits } from '@/lib/money/currencies';
import { JsonError, JsonNumber, parseJson } from '@/lib/platform/json/json';
import { decimalToText, isStablecoin, parseDecimal } from '@/lib/money/amounts';
import { compare, inverse, ratioOf } from '@/lib/money/rates/ratio';
import { BadAnswer, type Reading } from './provider';

/** No currency's unit is worth more than the first or less than the last number of dollars, and no coin more than the second. */
const MOST_DOLLARS = { over: 1000n, under: 1n };
const MOST_COIN_DOLLARS = { over: 1_000_000n, under: 1n };
const LEAST_DOLLARS = { over: 1n, under: 10n ** 9n };

/** The answer as this shape. Throws BadAnswer. */
export function readAnswer<Shape extends z.ZodType>(text: string, shape: Shape): z.output<Shape> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new BadAnswer('the answer is not JSON');
    throw error;
  }
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  throw new BadAnswer(`the answer has another shape at ${read.error.issues[0]?.path.join('.') || 'its top'}`);
}

/** The text of a price that was written as a JSON string or number; null when it is neither. */
function writtenPrice(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof JsonNumber ? value.text : null;
}

/** A reading, or null when the price cannot be one or the currency is none of those that are converted. */
export function reading(given: {
  currency: string;
  price: unknown;
  per: Reading['per'];
  sourceTime: Date;
}): Reading | null {
  const { currency, per, sourceTime } = given;
  if (currency === 'USD' || !isConverted(currency)) return null;
  const written = writtenPrice(given.price);
  const decimal = written === null ? null : parseDecimal(written);
  if (!decimal || decimal.units === 0n) return null;
  const dollars = per === 'unit' ? ratioOf(decimal) : inverse(ratioOf(decimal));
  const most = isCoin(currency) ? MOST_COIN_DOLLARS : MOST_DOLLARS;
  if (compare(dollars, most) > 0 || compare(dollars, LEAST_DOLLARS) < 0) return null;
  return { currency, price: decimalToText(decimal), per, sourceTime };
}

const isConverted = (code: string): boolean => minorDigits(code) !== null || isStablecoin(code) || isCoin(code);

/** Readings of a map from currency code to units for one dollar. Throws BadAnswer when none of it can be used. */
export function readingsPerDollar(rates: Readonly<Record<string, unknown>>, sourceTime: Date): Reading[] {
  return someOf(
    Object.entries(rates).map(([currency, price]) => reading({ currency, price, per: 'dollar', sourceTime })),
  );
}

/** Those that are there. Throws BadAnswer when none is, and when one currency has two prices: nobody could say which is meant. */
export function someOf(readings: readonly (Reading | null)[]): Reading[] {
  const found = readings.filter((one) => one !== null);
  if (found.length === 0) throw new BadAnswer('the answer quotes no currency');
  const currencies = new Set(found.map(({ currency }) => currency));
  if (currencies.size < found.length) throw new BadAnswer('the answer quotes a currency twice');
  return found;
}

/** Accepts a JSON number however it is written. */
export const anyNumber = z.union([z.number(), z.instanceof(JsonNumber)]);
