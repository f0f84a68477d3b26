// What the wallets of an environment held over time, in periods of equal length. One statement.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';

export type HistoryWallet = 'refund' | 'treasury' | 'cold';

/** The last reading within a period, in base units. */
export type HistoryPoint = {
  readonly network: string;
  readonly currency: string;
  readonly wallet: HistoryWallet;
  /** The number of its period; the first is 0. Periods without a reading are absent. */
  readonly period: number;
  readonly amount: bigint;
};

type Row = Omit<HistoryPoint, 'amount'> & { readonly amount: string };

/** Of the chains that are followed now, by network, token and wallet, the oldest first. */
export async function readWalletHistory(
  db: Db,
  environment: Environment,
  { from, periodSeconds }: { readonly from: Date; readonly periodSeconds: number },
): Promise<readonly HistoryPoint[]> {
  const { rows } = await db.query<Row>({
    name: 'wallet-history',
    text: `SELECT DISTINCT ON (c.network, h.currency, h.wallet, period) c.network, h.currency, h.wallet,
             floor(extract(epoch FROM h.hour - $2::timestamptz) / $3::int)::int AS period, h.amount::text AS amount
           FROM wallet_history h JOIN chains c ON c.id = h.chain_id
           WHERE c.environment = $1::"Environment" AND c.retired_at IS NULL AND h.hour >= $2
           ORDER BY c.network, h.currency, h.wallet, period, h.hour DESC`,
    values: [environment, from, periodSeconds],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}
