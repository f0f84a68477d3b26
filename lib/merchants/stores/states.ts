// The store's state machine as one table. All code that needs the allowed moves reads it here. A status changes only through
// `moveStore`, which returns whether this caller made the change.

import type { Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
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
  const prisma = await prismaOn(db);
  const { count } = await prisma.store.updateMany({
    where: { id: of.storeId, status: { in: [...from] }, ...(of.version === null ? {} : { version: of.version }) },
    data: { status: to, statusReason: of.reason, decidedAt: of.now, version: { increment: 1 } },
  });
  return count === 1;
}
