// Force-fails a refund, which only people may decide. A refund whose signed transactions were all judged unable to pay it, or one that the
// screening holds and that no transaction can pay any more, fails once one operator requested that and another approved. This file changes
// no refund: the approval makes the refund due, and the worker checks the chain once more. The worker fails the refund only if the chain
// still shows exactly what they agreed to (ambiguous-attempt.ts, clearance.ts). Every decision is audited.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { sameBytes } from '@/lib/platform/crypto';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { AUDITED_MOVE, storeDecision, type Decision } from './agreement';
import { endOf, ENDABLE_HOLDS, isEndable, readEndAttempts, REFUND_END } from './force-fail-agreed';
import { tableOf, type PaymentTable } from '@/lib/refunds/rows';

/**
 * Makes the decision. Throws REFUND_NOT_FOUND when no such refund waits for an operator, and APPROVAL_CHANGED when it differs from what
 * the operator was shown or was decided in the meantime. Throws APPROVAL_BY_TWO when the two operators are not independent, and
 * INVALID_PARAMETER without a note.
 */
export async function decideEnd(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  decision: Decision,
): Promise<void> {
  const { refund, move, userId, note, address } = decision;
  if (move !== 'decline' && note === null)
    throw new ServiceError('INVALID_PARAMETER', { param: 'note', message: 'note must say what you found out.' });
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const held = await lockHeld(tx, decision);
    const { digest, transactions } = held;
    if (move === 'request') await voidOthers(tx, refund, digest, now);
    const details = { refund, transactions };
    await storeDecision(tx, { kind: REFUND_END, digest, details, storeId: held.storeId }, decision, { config, now });
    if (move === 'approve') await makeDue(tx, refund, now);
    await recordAudit(tx, {
      actor: `user:${userId}`,
      storeId: held.storeId,
      action: `refund.end_${AUDITED_MOVE[move]}`,
      target: held.refundId,
      details: { note, transactions },
      address,
      now,
    });
  });
}

type Held = {
  /** Null for a cold transfer. */
  readonly storeId: string | null;
  readonly refundId: string;
  readonly digest: Buffer;
  readonly transactions: readonly string[];
};

const COLUMNS: Readonly<Record<PaymentTable, string>> = {
  refunds: 'store_id, refund_id',
  payouts: 'store_id, payout_id AS refund_id',
  cold_transfers: 'NULL::text AS store_id, id AS refund_id',
};

/** The refund as the operator was shown it. The decision and the worker's check of the chain both lock its row. */
async function lockHeld(tx: Tx, { refund, digest: shown }: Decision): Promise<Held> {
  const table = tableOf(refund);
  const { rows } = await tx.query<{ store_id: string | null; refund_id: string; hold: string | null }>({
    name: `${table}-end-lock`,
    text: `SELECT ${COLUMNS[table]}, hold FROM ${table}
           WHERE id = $1 AND hold = ANY($2) AND status = 'processing' FOR UPDATE`,
    values: [refund, ENDABLE_HOLDS],
  });
  const [row] = rows;
  if (!row || !isEndable(row.hold))
    throw new ServiceError('REFUND_NOT_FOUND', { message: 'No such refund waits for an operator.' });
  const end = endOf(refund, row.hold, await readEndAttempts(tx, refund));
  if (!end || !sameBytes(end.digest, Buffer.from(shown, 'hex'))) throw new ServiceError('APPROVAL_CHANGED');
  return { storeId: row.store_id, refundId: row.refund_id, ...end };
}

/** Voids requests that were made when other transactions were judged. */
const voidOthers = (tx: Tx, refund: string, digest: Buffer, now: Date): Promise<unknown> =>
  tx.query({
    name: 'refund-end-void',
    text: `UPDATE approvals SET decided_at = $4, is_approved = false, note = 'void'
           WHERE kind = $1 AND target = $2 AND digest <> $3 AND decided_at IS NULL`,
    values: [REFUND_END, refund, digest, now],
  });

const makeDue = (tx: Tx, refund: string, now: Date): Promise<unknown> =>
  tx.query({
    name: `${tableOf(refund)}-end-wake`,
    text: `UPDATE ${tableOf(refund)} SET hold = NULL, hold_message = NULL, held_at = NULL, next_at = $2, epoch = epoch + 1
           WHERE id = $1`,
    values: [refund, now],
  });
