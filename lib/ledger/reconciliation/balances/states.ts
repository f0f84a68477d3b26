// The state machine of a balance check as one table. The statements that change its state (rows.ts, scan-command.ts) take the states
// from it.

import type { Machine } from '@/lib/platform/database/moves';
import type { BalanceCheckState } from '@/prisma/generated/enums';

export type BalanceCheckMove = 'rescan' | 'compare' | 'prove' | 'differ' | 'dispute';

/** A worker whose lease has ended may still report a difference, also of a session that another worker has proven meanwhile. */
export const BALANCE_CHECK_MOVES: Readonly<
  Record<BalanceCheckMove, { readonly from: readonly BalanceCheckState[]; readonly to: BalanceCheckState }>
> = {
  rescan: { from: ['due', 'rescan', 'proven', 'differs', 'disputed'], to: 'rescan' },
  // The re-scan is completed, given up or postponed.
  compare: { from: ['rescan'], to: 'due' },
  prove: { from: ['due', 'differs'], to: 'proven' },
  differ: { from: ['due', 'proven', 'differs', 'disputed'], to: 'differs' },
  // A single endpoint does not end a hold.
  dispute: { from: ['due', 'proven', 'disputed'], to: 'disputed' },
};

/** The machine in statements that name the table `b`. */
export const BALANCE_CHECKS: Machine<BalanceCheckMove> = {
  column: 'b.state',
  type: 'BalanceCheckState',
  moves: BALANCE_CHECK_MOVES,
};
