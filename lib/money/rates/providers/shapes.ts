// Shared by all parsers: JSON that keeps the text of numbers, exact prices, and the filter of relevant currencies. A price that is
// zero, negative, not a number or implausible is left out, so that source has no vote for the currency.

import { z } from 'zod';
import { isCoin } from '@/lib/networks/coins';
import { minorDigits } from '@/lib/money/currencies';
import { JsonError, JsonNumber, parseJson } from '@/lib/platform/json/json';
import { decimalToText, isStablecoin, parseDecimal } from '@/lib/money/amounts';
import { compare, inverse, ratioOf } from '@/lib/money/rates/ratio';
import { InvalidResponse, type Reading } from './provider';

/** Plausible bounds in dollars: the most for a currency unit, the most for a coin, and the least for both. */
const MAX_DOLLARS = { numerator: 1000n, denominator: 1n };
const MAX_COIN_DOLLARS = { numerator: 1_000_000n, denominator: 1n };
const LEAST_DOLLARS = { numerator: 1n, denominator: 10n ** 9n };

/** The response in this shape. Throws InvalidResponse. */
export function parseResponse<Shape extends z.ZodType>(text: string, shape: Shape): z.output<Shape> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw new InvalidResponse('the response is not JSON');
    throw error;
  }
  const read = shape.safeParse(value);
  if (read.success) return read.data;
  throw new InvalidResponse(`the response has another shape at ${read.error.issues[0]?.path.join('.') || 'its top'}`);
}

/** The text of a price that was written as a JSON string or number; null when it is neither. */
function writtenPrice(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof JsonNumber ? value.text : null;
}

/** A reading, or null for an implausible price or a currency that is never converted. */
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
  const most = isCoin(currency) ? MAX_COIN_DOLLARS : MAX_DOLLARS;
  if (compare(dollars, most) > 0 || compare(dollars, LEAST_DOLLARS) < 0) return null;
  return { currency, price: decimalToText(decimal), per, sourceTime };
}

const isConverted = (code: string): boolean => minorDigits(code) !== null || isStablecoin(code) || isCoin(code);

/** Readings of a map from currency code to units for one dollar. Throws InvalidResponse when it has no usable price. */
export function readingsPerDollar(rates: Readonly<Record<string, unknown>>, sourceTime: Date): Reading[] {
  return requireReadings(
    Object.entries(rates).map(([currency, price]) => reading({ currency, price, per: 'dollar', sourceTime })),
  );
}

/** The readings that are not null. Throws InvalidResponse when there is none, and when one currency has two prices. */
export function requireReadings(readings: readonly (Reading | null)[]): Reading[] {
  const found = readings.filter((one) => one !== null);
  if (found.length === 0) throw new InvalidResponse('the response quotes no currency');
  const currencies = new Set(found.map(({ currency }) => currency));
  if (currencies.size < found.length) throw new InvalidResponse('the response quotes a currency twice');
  return found;
}

/** Accepts a JSON number however it is written. */
export const anyNumber = z.union([z.number(), z.instanceof(JsonNumber)]);
