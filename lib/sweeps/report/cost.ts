// What the sweeps of a day cost: in coin, in dollars, and for each dollar that they moved. Pure. Rounded up, as decimal texts.

import { baseUnitsToCents, divideUp, minorUnitsToText } from '@/lib/money/amounts';
import type { SweepReport } from './read';

export type DayCost = {
  /** Whole coins. */
  readonly coin: string;
  /** Null while the coin has no price. */
  readonly dollars: string | null;
  /** Null while the coin has no price or nothing was swept. */
  readonly perDollar: string | null;
};

/** A sweep often costs less than a cent. */
const MICRO_DIGITS = 6;
const MICRO = 10n ** 6n;

export function dayCost({
  spec,
  costs: { price, decimals },
  day,
}: Pick<SweepReport, 'spec' | 'costs' | 'day'>): DayCost {
  const cents = day.swept.reduce(
    (sum, { currency, amount }) => sum + baseUnitsToCents(amount, spec.tokens[currency]?.decimals ?? 0),
    0n,
  );
  const micro = price === null ? null : divideUp(day.fee * price.units * MICRO, 10n ** BigInt(decimals + price.digits));
  return {
    coin: minorUnitsToText(day.fee, decimals),
    dollars: micro === null ? null : minorUnitsToText(micro, MICRO_DIGITS),
    perDollar: micro === null || cents === 0n ? null : minorUnitsToText(divideUp(micro * 100n, cents), MICRO_DIGITS),
  };
}
