// Payments on which a worker's step failed: their subject in quarantine, and which of a worker's leased payments are quarantined.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Subject } from '@/lib/platform/database/quarantine';
import type { PaymentTable } from './rows';

export const KIND_OF = {
  refunds: 'refund',
  payouts: 'payout',
  cold_transfers: 'cold_transfer',
} as const satisfies Record<PaymentTable, string>;

/** `storeId`: where it is known. */
export const paymentSubject = (
  of: { readonly table: PaymentTable; readonly environment: Environment; readonly network: string },
  id: string,
  storeId?: string,
): Subject & { readonly kind: (typeof KIND_OF)[PaymentTable] } => ({
  kind: KIND_OF[of.table],
  id,
  environment: of.environment,
  network: of.network,
  ...(storeId === undefined ? {} : { storeId }),
});

/** Which of these payments are in quarantine and now due for another attempt. */
export async function quarantinedAmong(
  db: Db,
  table: PaymentTable,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ subject_id: string }>({
    name: 'payments-quarantined',
    text: `SELECT subject_id FROM quarantine WHERE kind = $2 AND subject_id = ANY($1) AND resolved_at IS NULL`,
    values: [ids, KIND_OF[table]],
  });
  return new Set(rows.map(({ subject_id }) => subject_id));
}
