// What can be decided about a payment that did not count, as one table: the guards and the actions that people are offered derive
// from it. In every state, money that was not paid out or accepted yet has an action.

import type { RefundStatus, CaseState, SessionStatus } from '@/prisma/generated/enums';

/**
 * `accept` it towards the price, as far as something is missing; `keep` a surplus; `refund` it to the sender; `leave` it as it
 * is, and decide later perhaps.
 */
export type CaseAction = 'accept' | 'keep' | 'refund' | 'leave';

export const CASE_MOVES: Readonly<Record<CaseAction, { readonly from: readonly CaseState[]; readonly to: CaseState }>> =
  {
    accept: { from: ['open', 'left'], to: 'accepted' },
    keep: { from: ['open', 'left'], to: 'kept' },
    // What was accepted can go back until the session is completed by it; `refund` again after one that failed or was canceled.
    refund: { from: ['open', 'left', 'accepted', 'refund'], to: 'refund' },
    leave: { from: ['open'], to: 'left' },
  };

export const CASE_ACTIONS = Object.keys(CASE_MOVES) as CaseAction[];
export const CASE_STATES = ['open', 'accepted', 'kept', 'refund', 'left'] as const satisfies readonly CaseState[];

/** What decides about the actions. `refund`: the status of the case's newest refund; null when it has none. */
export type CaseSituation = {
  readonly state: CaseState;
  readonly sessionStatus: SessionStatus;
  readonly refund: RefundStatus | null;
};

/** What can be done about a case now. */
export const allowedActions = (situation: CaseSituation): readonly CaseAction[] =>
  CASE_ACTIONS.filter((action) => CASE_MOVES[action].from.includes(situation.state) && isPossible(action, situation));

function isPossible(action: CaseAction, { state, sessionStatus, refund }: CaseSituation): boolean {
  const isCompleted = sessionStatus === 'completed';
  switch (action) {
    case 'accept':
      return !isCompleted;
    case 'keep':
      return isCompleted;
    case 'refund':
      if (state === 'accepted') return !isCompleted;
      return state !== 'refund' || refund === 'failed' || refund === 'canceled';
    case 'leave':
      return true;
  }
}
