// Refunds on which a worker's step failed: their subject in quarantine, and which of a worker's leased refunds are quarantined.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Subject } from '@/lib/platform/database/quarantine';

/** `storeId`: where it is known. */
export const refundSubject = (
  { environment, network }: { readonly environment: Environment; readonly network: string },
  id: string,
  storeId?: string,
): Subject & { readonly kind: 'refund' } => ({
  kind: 'refund',
  id,
  environment,
  network,
  ...(storeId === undefined ? {} : { storeId }),
});

/** Which of these refunds are in quarantine and now due for another attempt. */
export async function quarantinedAmong(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await db.query<{ subject_id: string }>({
    name: 'refunds-quarantined',
    text: `SELECT subject_id FROM quarantine WHERE kind = 'refund' AND subject_id = ANY($1) AND resolved_at IS NULL`,
    values: [ids],
  });
  return new Set(rows.map(({ subject_id }) => subject_id));
}
