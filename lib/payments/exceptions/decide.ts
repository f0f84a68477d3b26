// Decides about a payment exception. The decision, its ledger postings and the effects on the session happen in one transaction
// under the lock of the session row, on which settling, canceling and expiring serialize too. Of two concurrent decisions one wins,
// and the other caller gets an error.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { postMoves } from '@/lib/ledger/post';
import { openCaseRefund } from '@/lib/refunds/request/exception-refund';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import {
  findException,
  readException,
  refusedParam,
  situationOf,
  type ExceptionRow,
  type ExceptionActor,
  type PaymentException,
} from './read';
import { allowedActions, EXCEPTION_MOVES, moveExceptionWithNote, type ExceptionAction } from './states';

/** `note`: the reason that the actor enters; at most 500 characters. */
export type Decision = {
  readonly caseId: string;
  readonly by: ExceptionActor;
  readonly note?: string;
  /** The IP address of the request, for the audit log. */
  readonly address?: string;
  /** Runs first in the decision's transaction: the API spends the request's nonce there. */
  readonly begin?: (tx: Tx) => Promise<void>;
};

export const LONGEST_NOTE = 500;

/**
 * Counts the payment. If it reaches the price, the session is completed with its event, whether it was pending or closed unpaid. Only
 * the missing amount is taken; the rest is open again. Returns the current exception, also when it was accepted before. Throws
 * CASE_NOT_FOUND, CASE_ALREADY_DECIDED, INVALID_PARAMETER.
 */
export const acceptException = (context: Context, decision: Decision): Promise<PaymentException> =>
  decide(context, decision, 'accept');

/** Posts a surplus of a completed session to the store. Returns and throws like `acceptException`. */
export const keepException = (context: Context, decision: Decision): Promise<PaymentException> =>
  decide(context, decision, 'keep');

/**
 * Posts the uncounted part of the payment as owed to its sender, and creates a refund over its whole cents. Repeated, it creates a new
 * refund if the last one failed or was canceled. Returns and throws like `acceptException`.
 */
export const refundException = (context: Context, decision: Decision): Promise<PaymentException> =>
  decide(context, decision, 'refund');

/**
 * Removes the exception from the list of open ones. No money moves, and it can be decided later. Returns and throws like `acceptException`.
 */
export const leaveException = (context: Context, decision: Decision): Promise<PaymentException> =>
  decide(context, decision, 'leave');

/** Applies an action. Returns and throws like the four functions above. */
export async function decide(context: Context, decision: Decision, action: ExceptionAction): Promise<PaymentException> {
  const note = decision.note ?? null;
  if (note !== null && note.length > LONGEST_NOTE) throw new ServiceError('INVALID_PARAMETER', { param: 'note' });
  await transaction(context.pool, async (tx) => {
    await decision.begin?.(tx);
    await decideOnce(context, tx, { ...decision, action, note });
  });
  return readException(context, decision);
}

type DecisionRequest = {
  readonly caseId: string;
  readonly by: ExceptionActor;
  readonly action: ExceptionAction;
  readonly note: string | null;
  readonly address?: string;
};

async function decideOnce(
  { clock, log }: Context,
  tx: Tx,
  { caseId, by, action, note, address = '' }: DecisionRequest,
): Promise<void> {
  const { session_id } = await findException(tx, caseId, by);
  await tx.query({
    name: 'lock-case-session',
    text: 'SELECT FROM sessions WHERE id = $1 FOR UPDATE',
    values: [session_id],
  });
  // Read again under the lock: another caller may have decided.
  const found = await findException(tx, caseId, by);
  const now = clock.now();
  if (!isNew(found, action, by)) return;
  if (found.state !== EXCEPTION_MOVES[action].to) await setState(tx, found, { action, by, now, note });
  await moveMoney(tx, found, action, now);
  await settleSessions(tx, [session_id], { now, log });
  await recordAudit(tx, {
    actor: by.kind === 'key' ? `key:${by.keyId}` : `user:${by.userId}`,
    storeId: found.store_id,
    action: `case.${action}`,
    target: found.id,
    details: { session: session_id, note },
    address,
    now,
  });
}

/** False when the same decision was made before and there is nothing more to do. Throws CASE_ALREADY_DECIDED. */
function isNew(found: ExceptionRow, action: ExceptionAction, by: ExceptionActor): boolean {
  if (allowedActions(situationOf(found)).includes(action)) return true;
  // Accepting leaves the surplus open.
  if (found.state === EXCEPTION_MOVES[action].to || (action === 'accept' && BigInt(found.counted) > 0n)) return false;
  throw new ServiceError('CASE_ALREADY_DECIDED', {
    ...refusedParam(by),
    message:
      action === 'accept' && found.status === 'completed'
        ? 'The price is paid already: keep this payment as a surplus, or send it back.'
        : `This payment was decided about already: ${found.state}.`,
  });
}

async function setState(
  tx: Tx,
  { id }: ExceptionRow,
  { action, by, now, note }: { action: ExceptionAction; by: ExceptionActor; now: Date; note: string | null },
): Promise<void> {
  const actor = `${by.kind}:${by.kind === 'key' ? by.keyId : by.userId}`;
  const isMoved = await moveExceptionWithNote(tx, { caseId: id, action, by: actor, at: now }, note);
  if (!isMoved) throw new Error(`exception ${id} changed under the lock of its session`);
}

/** An accepted payment moves when settling completes the session. */
async function moveMoney(tx: Tx, found: ExceptionRow, action: ExceptionAction, now: Date): Promise<void> {
  if (action !== 'keep' && action !== 'refund') return;
  const amount = BigInt(found.amount) - BigInt(found.counted);
  const of = {
    storeId: found.store_id,
    environment: found.environment,
    sessionId: found.session_id,
    network: found.network,
    currency: found.currency,
    amount,
  };
  // Lock the row of the store's day before its balances, in the same order as creating a refund.
  if (action === 'refund') await openCaseRefund(tx, { ...of, ...refundedException(found) }, now);
  // A second refund of an exception pays the amount still owed from the first one.
  const kind = action === 'keep' ? 'kept' : 'refund_owed';
  await postMoves(tx, [{ ...of, kind, transferId: found.transfer_id }]);
}

const refundedException = (found: ExceptionRow) => ({
  caseId: found.id,
  orderId: found.order_id,
  decimals: found.decimals,
  genesis: found.genesis,
  transactionHash: found.transaction_hash,
  ordinal: found.ordinal,
});
