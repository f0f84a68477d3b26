// The state machine of a payment exception as one table: the guards and the offered actions derive from it. In every state, money that
// is neither paid out nor accepted has an action. A state changes only through `moveException` and `EXCEPTIONS`.

import type { Tx } from '@/lib/platform/database/db';
import type { Machine } from '@/lib/platform/database/moves';
import type { RefundStatus, ExceptionState, SessionStatus } from '@/prisma/generated/enums';

/**
 * `accept` counts it towards the missing amount; `keep` posts a surplus to the store; `refund` sends it back; `leave` takes no action yet.
 */
export type ExceptionAction = 'accept' | 'keep' | 'refund' | 'leave';

/**
 * A session that is completed counts its payments: `count` a whole one, whether it was accepted or not, and `split` one of which a
 * surplus remains, which is open again.
 */
export type ExceptionMove = ExceptionAction | 'count' | 'split';

export const EXCEPTION_MOVES: Readonly<
  Record<ExceptionMove, { readonly from: readonly ExceptionState[]; readonly to: ExceptionState }>
> = {
  accept: { from: ['open', 'left'], to: 'accepted' },
  keep: { from: ['open', 'left'], to: 'kept' },
  // An accepted payment can be refunded until it completes the session; `refund` again after a failed or canceled refund.
  refund: { from: ['open', 'left', 'accepted', 'refund'], to: 'refund' },
  leave: { from: ['open'], to: 'left' },
  count: { from: ['open', 'left', 'accepted'], to: 'accepted' },
  split: { from: ['open', 'left', 'accepted'], to: 'open' },
};

/** The machine in statements that name the table `c`. */
export const EXCEPTIONS: Machine<ExceptionMove> = { column: 'c.state', type: 'ExceptionState', moves: EXCEPTION_MOVES };

export const EXCEPTION_ACTIONS = ['accept', 'keep', 'refund', 'leave'] as const satisfies readonly ExceptionAction[];
export const EXCEPTION_STATES = [
  'open',
  'accepted',
  'kept',
  'refund',
  'left',
] as const satisfies readonly ExceptionState[];

/** The inputs for the actions. `refund`: the status of the newest refund of the exception; null when it has none. */
export type ExceptionSituation = {
  readonly state: ExceptionState;
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

export type ExceptionDecision = {
  readonly caseId: string;
  readonly action: ExceptionAction;
  readonly by: string;
  readonly at: Date;
};

/** Makes the move of an action. Returns false when it cannot start from the exception's state. */
export async function moveException(tx: Tx, decision: ExceptionDecision): Promise<boolean> {
  const { rowCount } = await tx.query({ ...DECIDE, values: valuesOf(decision) });
  return rowCount === 1;
}

const DECIDE = {
  name: 'decide-case',
  text: `UPDATE payment_exceptions SET state = $3::"ExceptionState", decided_by = $4, decided_at = $5
         WHERE id = $1 AND state = ANY($2::"ExceptionState"[])`,
};

/** Like `moveException`, with the actor's note. A statement of its own: the worker may not write notes (scripts/database-roles/grants.mjs). */
export async function moveExceptionWithNote(
  tx: Tx,
  decision: ExceptionDecision,
  note: string | null,
): Promise<boolean> {
  const { rowCount } = await tx.query({ ...DECIDE_WITH_NOTE, values: [...valuesOf(decision), note] });
  return rowCount === 1;
}

const DECIDE_WITH_NOTE = {
  name: 'decide-case-with-note',
  text: `UPDATE payment_exceptions SET state = $3::"ExceptionState", decided_by = $4, decided_at = $5, note = $6
         WHERE id = $1 AND state = ANY($2::"ExceptionState"[])`,
};

const valuesOf = ({ caseId, action, by, at }: ExceptionDecision): unknown[] => {
  const { from, to } = EXCEPTION_MOVES[action];
  return [caseId, from, to, by, at];
};
