// What transactions cost, by month and network, in the coin of the network.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

/** The smallest unit of the coin. */
export type MonthCost = {
  /** `2026-11`, in UTC. */
  readonly month: string;
  readonly network: string;
  readonly coin: string;
  /** Entries: transactions, and orders of energy. Each payment of a batch counts. */
  readonly entries: number;
  readonly networkFees: bigint;
  /** Rent of accounts that were opened, and rent that closed accounts gave back. */
  readonly rentPaid: bigint;
  readonly rentReturned: bigint;
  readonly energy: bigint;
};

/** The latest month first. `since`: the first day of the oldest month that is read. */
export async function readMonthCosts(db: Db, environment: Environment, since: Date): Promise<readonly MonthCost[]> {
  const { rows } = await db.query<{
    month: string;
    network: string;
    coin: string;
    entries: string;
    fees: string;
    paid: string;
    returned: string;
    energy: string;
  }>({
    name: 'coin-costs',
    text: `SELECT to_char(month, 'YYYY-MM') AS month, network, coin, entries::text AS entries, network_fees::text AS fees,
             rent_paid::text AS paid, rent_returned::text AS returned, energy::text AS energy
           FROM coin_months WHERE environment = $1::"Environment" AND month >= ($2::timestamptz AT TIME ZONE 'UTC')::date
           ORDER BY coin_months.month DESC, network, coin`,
    values: [environment, since],
  });
  return rows.map(({ month, network, coin, entries, fees, paid, returned, energy }) => ({
    ...{ month, network, coin, entries: Number(entries) },
    networkFees: BigInt(fees),
    rentPaid: BigInt(paid),
    rentReturned: BigInt(returned),
    energy: BigInt(energy),
  }));
}
