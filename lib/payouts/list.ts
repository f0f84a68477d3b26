// The payouts of a store for display, the newest first.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { RefundStatus } from '@/prisma/generated/enums';

export type Payout = {
  readonly id: string;
  readonly payoutId: string;
  readonly status: RefundStatus;
  /** In cents. */
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string;
  readonly description: string | null;
  readonly createdAt: Date;
  /** In stored form; null until the signature is requested. */
  readonly destination: string | null;
  /** A code (lib/refunds/holds); null while nothing stands in the way. */
  readonly hold: string | null;
  readonly failureReason: string | null;
  readonly transactionHash: string | null;
  readonly processedAt: Date | null;
  readonly isCancelable: boolean;
};

type Row = Omit<Payout, 'amount'> & { readonly amount: string };

/** At most `limit`; the older ones are in the statements. */
export async function listPayouts(
  db: Db,
  {
    storeId,
    environment,
    limit,
  }: { readonly storeId: string; readonly environment: Environment; readonly limit: number },
): Promise<Payout[]> {
  const { rows } = await db.query<Row>({
    name: 'payouts-of-store',
    text: `SELECT id, payout_id AS "payoutId", status, amount, currency, network, description, created_at AS "createdAt", destination, hold,
             failure_reason AS "failureReason", transaction_hash AS "transactionHash", processed_at AS "processedAt",
             status IN ('pending', 'processing') AND signature_requested_at IS NULL AS "isCancelable"
           FROM payouts WHERE store_id = $1 AND environment = $2::"Environment" ORDER BY created_at DESC, id DESC LIMIT $3`,
    values: [storeId, environment, limit],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}
