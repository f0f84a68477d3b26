// Decides about a payment that did not count. The decision, its way through the ledger and whatever follows for the session
// happen in one transaction under the session row's lock, which settling, cancelling and expiring take turns by too; of two
// who decide at once one wins, and the other is told.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { postMoves } from '@/lib/ledger/post';
import { openCaseRefund } from '@/lib/refunds/request/of-exception';
import { settleSessions } from '@/lib/payments/sessions/settle/settle';
import type { CaseState } from '@/prisma/generated/enums';
import { findCase, readCase, refusedParam, situationOf, type CaseRow, type CaseUser, type PaymentCase } from './read';
import { allowedActions, CASE_MOVES, type CaseAction } from './states';

/** `note`: why, in the decider's own words; at most 500 characters. */
export type Decision = {
  readonly caseId: string;
  readonly by: CaseUser;
  readonly note?: string;
  /** Where it was asked from, for the audit log. */
  readonly address?: string;
  /** Runs first in the decision's transaction: the API spends the request's nonce there. */
  readonly begin?: (tx: Tx) => Promise<void>;
};

export const LONGEST_NOTE = 500;

/**
 * Counts the payment. If the price is reached by it, the session becomes completed and its event is recorded, whether it was
 * pending or had ended unpaid; only what was missing is taken, and the rest is open again. Returns the case as it is now; again,
 * when it was accepted before. Throws CASE_NOT_FOUND, CASE_ALREADY_DECIDED, INVALID_PARAMETER.
 */
export const acceptCase = (context: Context, decision: Decision): Promise<PaymentCase> =>
  decide(context, decision, 'accept');

/** Gives a surplus of a completed session to the store. Returns and throws as `acceptCase` does. */
export const keepCase = (context: Context, decision: Decision): Promise<PaymentCase> =>
  decide(context, decision, 'keep');

/**
 * Owes what was not counted of the payment to its sender: the ledger shows so from now on, and a refund over its whole cents is on
 * its way. Again, it makes a new refund when the last one failed or was canceled. Returns and throws as `acceptCase` does.
 */
export const refundCase = (context: Context, decision: Decision): Promise<PaymentCase> =>
  decide(context, decision, 'refund');

/** Takes the case off the list of what is to be decided; nothing moves, and it can be decided about later. As `acceptCase`. */
export const leaveCase = (context: Context, decision: Decision): Promise<PaymentCase> =>
  decide(context, decision, 'leave');

/** The decision that the action names. Returns and throws as the four above do. */
export async function decide(context: Context, decision: Decision, action: CaseAction): Promise<PaymentCase> {
  const note = decision.note ?? null;
  if (note !== null && note.length > LONGEST_NOTE) throw new ServiceError('INVALID_PARAMETER', { param: 'note' });
  await transaction(context.pool, async (tx) => {
    await decision.begin?.(tx);
    await decideOnce(context, tx, { ...decision, action, note });
  });
  return readCase(context, decision);
}

type Asked = {
  readonly caseId: string;
  readonly by: CaseUser;
  readonly action: CaseAction;
  readonly note: string | null;
  readonly address?: string;
};

async function decideOnce(
  { clock, log }: Context,
  tx: Tx,
  { caseId, by, action, note, address = '' }: Asked,
): Promise<void> {
  const { session_id } = await findCase(tx, caseId, by);
  await tx.query({
    name: 'lock-case-session',
    text: 'SELECT FROM sessions WHERE id = $1 FOR UPDATE',
    values: [session_id],
  });
  // Read under the lock: another caller may have decided meanwhile.
  const found = await findCase(tx, caseId, by);
  const now = clock.now();
  if (!isNew(found, action, by)) return;
  const { to } = CASE_MOVES[action];
  if (found.state !== to) await setState(tx, found, { to, by, now, note });
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

/** False when this was decided before, so that nothing is left to do. Throws CASE_ALREADY_DECIDED. */
function isNew(found: CaseRow, action: CaseAction, by: CaseUser): boolean {
  if (allowedActions(situationOf(found)).includes(action)) return true;
  // Accepting leaves what was not missing open.
  if (found.state === CASE_MOVES[action].to || (action === 'accept' && BigInt(found.counted) > 0n)) return false;
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
  { id }: CaseRow,
  { to, by, now, note }: { to: CaseState; by: CaseUser; now: Date; note: string | null },
): Promise<void> {
  await tx.query({
    name: 'decide-case',
    text: `UPDATE payment_cases SET state = $2::"CaseState", decided_by = $3, decided_at = $4, note = $5 WHERE id = $1`,
    values: [id, to, `${by.kind}:${by.kind === 'key' ? by.keyId : by.userId}`, now, note],
  });
}

/** What is accepted moves when the session is completed by it, which settling does. */
async function moveMoney(tx: Tx, found: CaseRow, action: CaseAction, now: Date): Promise<void> {
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
  // The row of the store's day is locked before its balances, as creating a refund does.
  if (action === 'refund') await openCaseRefund(tx, { ...of, ...refundedCase(found) }, now);
  // A second refund of one case pays what the first one left owed.
  const kind = action === 'keep' ? 'kept' : 'refund_owed';
  await postMoves(tx, [{ ...of, kind, transferId: found.transfer_id }]);
}

const refundedCase = (found: CaseRow) => ({
  caseId: found.id,
  orderId: found.order_id,
  decimals: found.decimals,
  genesis: found.genesis,
  transactionHash: found.transaction_hash,
  ordinal: found.ordinal,
});
