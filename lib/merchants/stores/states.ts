// The store's state machine as one table. All code that needs the allowed moves reads it here. A status changes only through
// `moveStore`, which returns whether this caller made the change.

import type { Db } from '@/lib/platform/database/db';
import type { StoreStatus } from '@/prisma/generated/enums';

export type StoreMove = 'approve' | 'reject' | 'suspend' | 'reinstate';

export const STORE_MOVES: Readonly<
  Record<StoreMove, { readonly from: readonly StoreStatus[]; readonly to: StoreStatus }>
> = {
  approve: { from: ['pending'], to: 'approved' },
  reject: { from: ['pending'], to: 'rejected' },
  suspend: { from: ['approved'], to: 'suspended' },
  reinstate: { from: ['suspended'], to: 'approved' },
};

/**
 * Makes the move. `reason` is shown to the merchant. Returns false when the store was not in the state that the move starts
 * from, or not of that version.
 */
export async function moveStore(
  db: Db,
  of: { storeId: string; move: StoreMove; reason: string | null; version: number | null; now: Date },
): Promise<boolean> {
  const { from, to } = STORE_MOVES[of.move];
  const { rowCount } = await db.query(
    `UPDATE stores SET status = $3::"StoreStatus", status_reason = $4, decided_at = $6, version = version + 1
     WHERE id = $1 AND status = ANY($2::"StoreStatus"[]) AND ($5::int IS NULL OR version = $5)`,
    [of.storeId, from, to, of.reason, of.version, of.now],
  );
  return rowCount === 1;
}
