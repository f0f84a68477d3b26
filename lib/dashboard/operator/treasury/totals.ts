// The sums at the top of the page Treasury, over all networks of one environment. A token counts as one dollar. Pure.

import { baseUnitsToCents, centsToText, divideUp, minorUnitsToText } from '@/lib/money/amounts';
import type { SweepReport } from '@/lib/sweeps/report/read';

/** Decimal texts in dollars, rounded down. */
export type TreasuryTotals = {
  readonly unswept: string;
  readonly addresses: number;
  /** Of it. */
  readonly dust: string;
  readonly inFlight: string;
  /** Within 24 hours. */
  readonly swept: string;
  /** What those sweeps cost, rounded up; null while a coin that paid for them has no price. */
  readonly cost: string | null;
};

type Counted = { readonly currency: string };

export function totalsOf(reports: readonly SweepReport[]): TreasuryTotals {
  const cents = <One extends Counted>(
    all: (report: SweepReport) => readonly One[],
    amount: (one: One) => bigint,
  ): string =>
    centsToText(
      reports.reduce((sum, report) => {
        const decimals = ({ currency }: Counted): number => report.spec.tokens[currency]?.decimals ?? 0;
        return all(report).reduce((own, one) => own + baseUnitsToCents(amount(one), decimals(one)), sum);
      }, 0n),
    );
  return {
    unswept: cents(
      ({ held }) => held,
      ({ amount }) => amount,
    ),
    addresses: reports.reduce((sum, { held }) => held.reduce((own, { addresses }) => own + addresses, sum), 0),
    dust: cents(
      ({ held }) => held,
      ({ dust }) => dust,
    ),
    inFlight: cents(
      ({ inFlight }) => inFlight,
      ({ amount }) => amount,
    ),
    swept: cents(
      ({ day }) => day.swept,
      ({ amount }) => amount,
    ),
    cost: costOf(reports),
  };
}

/** Sweeps often cost less than a cent. */
const DIGITS = 4;

function costOf(reports: readonly SweepReport[]): string | null {
  let sum = 0n;
  for (const { day, costs } of reports) {
    if (day.fee === 0n) continue;
    if (costs.price === null) return null;
    sum += divideUp(
      day.fee * costs.price.units * 10n ** BigInt(DIGITS),
      10n ** BigInt(costs.decimals + costs.price.digits),
    );
  }
  return minorUnitsToText(sum, DIGITS);
}
