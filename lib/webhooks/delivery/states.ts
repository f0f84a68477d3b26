// The state machine of a delivery as one table. The statements that change its status (lease.ts, write-outcomes.ts) take the statuses
// from it.

import type { Machine } from '@/lib/platform/database/moves';
import type { DeliveryStatus } from '@/prisma/generated/enums';

export type DeliveryMove = 'attempt' | 'retry' | 'deliver' | 'fail';

export const DELIVERY_MOVES: Readonly<
  Record<DeliveryMove, { readonly from: readonly DeliveryStatus[]; readonly to: DeliveryStatus }>
> = {
  // A worker leases it and counts an attempt.
  attempt: { from: ['pending'], to: 'pending' },
  // The attempt failed, and another one follows.
  retry: { from: ['pending'], to: 'pending' },
  deliver: { from: ['pending'], to: 'delivered' },
  fail: { from: ['pending'], to: 'failed' },
};

/** The machine in statements that name the table `d`. */
export const DELIVERIES: Machine<DeliveryMove> = {
  column: 'd.status',
  type: 'DeliveryStatus',
  moves: DELIVERY_MOVES,
};
