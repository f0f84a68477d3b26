// What can be decided about a payment that did not count, as one table: the guards, the actions that people are offered and
// the coins' way through the ledger derive from it.

import type { Owed } from '@/lib/ledger/postings';
import type { CaseKind } from '@/lib/sessions/oddities';
import type { CaseState } from '@/prisma/generated/enums';

/** `accept` as payment, `refund` to the sender, `leave` as it is (and decide later, perhaps). */
export type CaseAction = 'accept' | 'refund' | 'leave';

/** Accepting and refunding are final; what was left may still be decided about. */
export const CASE_MOVES: Readonly<Record<CaseAction, { readonly from: readonly CaseState[]; readonly to: CaseState }>> =
  {
    accept: { from: ['open', 'left'], to: 'accepted' },
    refund: { from: ['open', 'left'], to: 'refund' },
    leave: { from: ['open'], to: 'left' },
  };

export const CASE_ACTIONS = Object.keys(CASE_MOVES) as CaseAction[];

/** What can be done about a case in this state. */
export const allowedActions = (state: CaseState): readonly CaseAction[] =>
  CASE_ACTIONS.filter((action) => CASE_MOVES[action].from.includes(state));

/** To whom a case's coins are owed in each state. A surplus counts, so until it is sent back it is the store's. */
export const caseOwed = (kind: CaseKind, state: CaseState): Owed => {
  switch (state) {
    case 'open':
    case 'left':
      return kind === 'over' ? 'store' : 'unresolved';
    case 'accepted':
      return 'store';
    case 'refund':
      return 'refund';
  }
};
