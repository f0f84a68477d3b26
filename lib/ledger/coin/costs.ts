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
    entries: number;
    fees: string;
    paid: string;
    returned: string;
    energy: string;
  }>({
    name: 'coin-costs',
    text: `SELECT to_char(e.created_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, p.network, p.currency AS coin,
             count(DISTINCT e.id)::int AS entries,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'expense:network_fee'), 0)::text AS fees,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'expense:rent'), 0)::text AS paid,
             coalesce(-sum(p.amount) FILTER (WHERE p.account = 'revenue:rent'), 0)::text AS returned,
             coalesce(sum(p.amount) FILTER (WHERE p.account = 'expense:energy'), 0)::text AS energy
           FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
           WHERE e.environment = $1::"Environment" AND e.coin_source IS NOT NULL AND e.created_at >= $2
             AND p.account IN ('expense:network_fee', 'expense:rent', 'revenue:rent', 'expense:energy')
           GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3`,
    values: [environment, since],
  });
  return rows.map(({ month, network, coin, entries, fees, paid, returned, energy }) => ({
    ...{ month, network, coin, entries },
    networkFees: BigInt(fees),
    rentPaid: BigInt(paid),
    rentReturned: BigInt(returned),
    energy: BigInt(energy),
  }));
}
