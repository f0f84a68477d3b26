// Decides about a payment that did not count. The decision, its way through the ledger and whatever follows for the session
// happen in one transaction under the session row's lock, which settling, cancelling and expiring take turns by too; of two
// who decide at once one wins, and the other is told.

import { recordAudit, type Recorded } from '@/lib/audit/record';
import type { Context } from '@/lib/context';
import { transaction, type Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { postMoves, type MoveKind } from '@/lib/ledger/post';
import { openCaseRefund } from '@/lib/refunds/of-case';
import { settleSessions } from '@/lib/sessions/settle';
import type { CaseState } from '@/prisma/generated/enums';
import { findCase, readCase, type CaseRow, type CaseUser, type PaymentCase } from './read';
import { CASE_MOVES, caseOwed, type CaseAction } from './states';

/** `note`: why, in the decider's own words; at most 500 characters. */
export type Decision = {
  readonly caseId: string;
  readonly by: CaseUser;
  readonly note?: string;
  /** Where it was asked from, for the audit log. */
  readonly address?: string;
};

const LONGEST_NOTE = 500;

/**
 * Counts the payment. If the price is reached by it, the session becomes completed and its event is recorded, whether it was
 * pending or had ended unpaid. Returns the case as it is now; again, when it was accepted before. Throws CASE_NOT_FOUND,
 * CASE_ALREADY_DECIDED, INVALID_PARAMETER.
 */
export const acceptCase = (context: Context, decision: Decision): Promise<PaymentCase> =>
  decide(context, decision, 'accept');

/**
 * Owes the payment, or its surplus, to its sender: the ledger shows so from now on, and a refund over its whole cents is on its
 * way. Again, it makes a new refund when the last one failed or was canceled. Returns and throws as `acceptCase` does.
 */
export const refundCase = (context: Context, decision: Decision): Promise<PaymentCase> =>
  decide(context, decision, 'refund');

/** Takes the case off the list of what is to be decided; nothing moves, and it can be decided about later. As `acceptCase`. */
export const leaveCase = (context: Context, decision: Decision): Promise<PaymentCase> =>
  decide(context, decision, 'leave');

async function decide(context: Context, decision: Decision, action: CaseAction): Promise<PaymentCase> {
  const note = decision.note ?? null;
  if (note !== null && note.length > LONGEST_NOTE) throw new ServiceError('INVALID_PARAMETER', { param: 'note' });
  await transaction(context.pool, (tx) => decideOnce(context, tx, { ...decision, action, note }));
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
  { clock }: Context,
  tx: Tx,
  { caseId, by, action, note, address = '' }: Asked,
): Promise<void> {
  const { session_id } = await findCase(tx, caseId, by);
  await tx.query({
    name: 'lock-case-session',
    text: 'SELECT FROM sessions WHERE id = $1 FOR UPDATE',
    values: [session_id],
  });
  // Read again: whoever held the lock before may have decided.
  const found = await findCase(tx, caseId, by);
  const { from, to } = CASE_MOVES[action];
  const now = clock.now();
  const entry = (of: CaseRow): Recorded => ({
    actor: `user:${by.userId}`,
    storeId: of.store_id,
    action: `case.${action}`,
    target: of.id,
    details: { session: session_id, note },
    address,
    now,
  });
  if (found.state === to) {
    // Refunding again what was refunded makes a new refund only after one that failed.
    const isNew = action === 'refund' && (await sendBack(tx, found, now));
    if (isNew) await recordAudit(tx, entry(found));
    return;
  }
  if (!from.includes(found.state))
    throw new ServiceError('CASE_ALREADY_DECIDED', {
      message: `This payment was decided about already: ${found.state}.`,
    });

  await tx.query({
    name: 'decide-case',
    text: `UPDATE payment_cases SET state = $2::"CaseState", decided_by = $3, decided_at = $4, note = $5 WHERE id = $1`,
    values: [found.id, to, `${by.kind}:${by.userId}`, now, note],
  });
  await moveCoins(tx, found, to);
  if (action === 'refund') await sendBack(tx, found, now);
  await settleSessions(tx, [session_id], { now });
  await recordAudit(tx, entry(found));
}

/** Less than a cent stays owed, since nothing smaller is ever sent. Answers whether a refund was made. */
async function sendBack(tx: Tx, found: CaseRow, now: Date): Promise<boolean> {
  const of = {
    caseId: found.id,
    storeId: found.store_id,
    environment: found.environment,
    sessionId: found.session_id,
    orderId: found.order_id,
    network: found.network,
    currency: found.currency,
    amount: BigInt(found.amount),
    decimals: found.decimals,
  };
  return (await openCaseRefund(tx, of, now)) !== null;
}

const KINDS: Readonly<Record<Exclude<CaseState, 'open' | 'left'>, MoveKind>> = {
  accepted: 'accepted',
  refund: 'refund_owed',
};

async function moveCoins(tx: Tx, found: CaseRow, state: CaseState): Promise<void> {
  const [from, to] = [caseOwed(found.kind, found.state), caseOwed(found.kind, state)];
  if (from === to || state === 'open' || state === 'left') return;
  await postMoves(tx, [
    {
      kind: KINDS[state],
      from,
      to,
      transferId: found.transfer_id,
      storeId: found.store_id,
      environment: found.environment,
      sessionId: found.session_id,
      network: found.network,
      currency: found.currency,
      amount: BigInt(found.amount),
    },
  ]);
}
