// The possible decisions about a payment exception, as one table: the guards and the offered actions derive from it. In every state,
// money that is neither paid out nor accepted has an action.

import type { RefundStatus, CaseState, SessionStatus } from '@/prisma/generated/enums';

/**
 * `accept` counts it towards the missing amount; `keep` keeps a surplus; `refund` sends it back; `leave` leaves it as it is for a later
 * decision.
 */
export type ExceptionAction = 'accept' | 'keep' | 'refund' | 'leave';

export const EXCEPTION_MOVES: Readonly<
  Record<ExceptionAction, { readonly from: readonly CaseState[]; readonly to: CaseState }>
> = {
  accept: { from: ['open', 'left'], to: 'accepted' },
  keep: { from: ['open', 'left'], to: 'kept' },
  // An accepted payment can be refunded until it completes the session; `refund` again after a failed or canceled refund.
  refund: { from: ['open', 'left', 'accepted', 'refund'], to: 'refund' },
  leave: { from: ['open'], to: 'left' },
};

export const EXCEPTION_ACTIONS = Object.keys(EXCEPTION_MOVES) as ExceptionAction[];
export const EXCEPTION_STATES = ['open', 'accepted', 'kept', 'refund', 'left'] as const satisfies readonly CaseState[];

/** The inputs for the actions. `refund`: the status of the newest refund of the exception; null when it has none. */
export type ExceptionSituation = {
  readonly state: CaseState;
  readonly sessionStatus: SessionStatus;
  readonly refund: RefundStatus | null;
};

/** The actions that are possible now. */
export const allowedActions = (situation: ExceptionSituation): readonly ExceptionAction[] =>
  EXCEPTION_ACTIONS.filter(
    (action) => EXCEPTION_MOVES[action].from.includes(situation.state) && isPossible(action, situation),
  );

function isPossible(action: ExceptionAction, { state, sessionStatus, refund }: ExceptionSituation): boolean {
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
