// The sanity band: a source's new price that is far from the one it told before is held back, whatever the reason, and believed
// only when the source has kept telling it for a while. Until then the former price ages, and with it the source's voice. Pure.

import { parseDecimal } from '@/lib/money/amounts';
import type { Reading } from './providers/provider';
import { isWithin, ratioOf, type Ratio } from './ratio';

/** What is kept of a source's word about one currency. */
export type Kept = Reading & {
  readonly fetchedAt: Date;
  readonly heldPrice: string | null;
  readonly heldSince: Date | null;
};

/** A fault of a feed is noticed and mended within this; a currency that was really devalued stays where it is. */
export const HELD_MILLISECONDS = 3_600_000;
/** A former price from before this binds nothing: currencies do move in a day. */
export const BAND_LAPSES_MILLISECONDS = 86_400_000;

/** What is kept after a reading of `now`, given what was kept before; null when that is the first. */
export function admit(
  former: Kept | null,
  fresh: Reading,
  { now, bandPercent }: { now: Date; bandPercent: number },
): Kept {
  const accepted: Kept = { ...fresh, fetchedAt: now, heldPrice: null, heldSince: null };
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

/** Null for what is no price, which is near to nothing. */
function priceOf(text: string): Ratio | null {
  const decimal = parseDecimal(text);
  return decimal === null || decimal.units === 0n ? null : ratioOf(decimal);
}
