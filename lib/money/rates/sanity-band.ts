// The sanity band: a price that differs too much from the source's previous price is held back until the source has reported it for an
// hour. Until then the previous price stays and becomes stale, and the source loses its vote. Pure.

import { parseDecimal } from '@/lib/money/amounts';
import type { Reading } from './providers/provider';
import { isWithin, ratioOf, type Ratio } from './ratio';

/** The stored price of one currency from one source. */
export type StoredPrice = Reading & {
  readonly fetchedAt: Date;
  readonly heldPrice: string | null;
  readonly heldSince: Date | null;
};

/** A feed error is usually fixed within this time; a real devaluation persists. */
export const HELD_MILLISECONDS = 3_600_000;
/** A previous price older than this is not compared, because currencies move within a day. */
export const BAND_LAPSES_MILLISECONDS = 86_400_000;

/** The price to store after a reading at `now`. `former` is the stored price; null for the first reading. */
export function applySanityBand(
  former: StoredPrice | null,
  fresh: Reading,
  { now, bandPercent }: { now: Date; bandPercent: number },
): StoredPrice {
  const accepted: StoredPrice = { ...fresh, fetchedAt: now, heldPrice: null, heldSince: null };
  if (former === null || former.per !== fresh.per) return accepted;
  if (now.getTime() - former.fetchedAt.getTime() >= BAND_LAPSES_MILLISECONDS) return accepted;
  if (isNear(former.price, fresh.price, bandPercent)) return accepted;
  const { heldPrice, heldSince } = former;
  if (heldPrice === null || heldSince === null || !isNear(heldPrice, fresh.price, bandPercent)) {
    return { ...former, heldPrice: fresh.price, heldSince: now };
  }
  return now.getTime() - heldSince.getTime() >= HELD_MILLISECONDS ? accepted : former;
}

const isNear = (one: string, other: string, percent: number): boolean => {
  const [a, b] = [priceOf(one), priceOf(other)];
  return a !== null && b !== null && isWithin(a, b, percent);
};

/** Null for an invalid price, which is near no other. */
function priceOf(text: string): Ratio | null {
  const decimal = parseDecimal(text);
  return decimal === null || decimal.units === 0n ? null : ratioOf(decimal);
}
