// What transactions of the service cost, by month and network, as exact decimal texts: the rows of the page, and all of them as a file.

import { csvResponse, type Portions } from '@/lib/dashboard/lists/csv';
import { readMonthCosts, type MonthCost } from '@/lib/ledger/coin/costs';
import { minorUnitsToText } from '@/lib/money/amounts';
import { COINS, isCoin } from '@/lib/networks/coins';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';

/** Amounts in whole coins. */
export type CostRow = Pick<MonthCost, 'month' | 'network' | 'coin' | 'entries'> & {
  readonly networkFees: string;
  readonly rentPaid: string;
  readonly rentReturned: string;
  readonly energy: string;
};

const MONTHS_SHOWN = 12;
const HEAD = ['month', 'network', 'coin', 'entries', 'network_fees', 'rent_paid', 'rent_returned', 'rented_energy'];

type Deps = Pick<Context, 'pool' | 'clock'>;

/** Of this month and the eleven before it. */
export async function readCostRows({ pool, clock }: Deps, environment: Environment): Promise<readonly CostRow[]> {
  const now = clock.now();
  const since = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - MONTHS_SHOWN + 1, 1));
  return (await readMonthCosts(pool, environment, since)).map(rowOf);
}

/** Of all months. */
export async function costsFile({ pool, clock }: Deps, environment: Environment): Promise<Response> {
  const rows = (await readMonthCosts(pool, environment, new Date(0))).map(rowOf);
  const day = clock.now().toISOString().slice(0, 10);
  return csvResponse(`costs-${environment}-${day}.csv`, HEAD, portionsOf(rows));
}

async function* portionsOf(rows: readonly CostRow[]): Portions {
  yield rows.map((row) => [
    ...[row.month, row.network, row.coin, row.entries],
    ...[row.networkFees, row.rentPaid, row.rentReturned, row.energy],
  ]);
}

function rowOf({ month, network, coin, entries, ...amounts }: MonthCost): CostRow {
  const text = (units: bigint): string => minorUnitsToText(units, isCoin(coin) ? COINS[coin].decimals : 0);
  const { networkFees, rentPaid, rentReturned, energy } = amounts;
  return {
    ...{ month, network, coin, entries },
    networkFees: text(networkFees),
    rentPaid: text(rentPaid),
    rentReturned: text(rentReturned),
    energy: text(energy),
  };
}
