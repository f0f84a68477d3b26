// The end that only people may decide: a refund whose signed transactions were all judged unable to pay it fails, once one
// operator has asked for that and another one agreed. Nothing is ended here. The worker, woken by the second, looks at the chain
// once more and ends the refund only when it finds exactly what they agreed to (riddle.ts). Every decision is audited.

import { randomUUID } from 'node:crypto';
import { recordAudit } from '@/lib/audit/record';
import type { Context } from '@/lib/context';
import { sameBytes } from '@/lib/crypto';
import { transaction, type Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { isOwnSandbox } from '@/lib/own-sandbox';
import { endDigest, readOpenAttempts, REFUND_END } from './end-agreed';
import { FOR_A_PERSON } from './plan';
import { checkTwo } from './two-operators';

export type EndMove = 'ask' | 'approve' | 'decline';

export type EndDecision = {
  /** The refund's own id (refunds.id). */
  readonly refund: string;
  /** Hex digest of what the operator was shown. */
  readonly digest: string;
  readonly move: EndMove;
  readonly userId: string;
  /** What the operator found out; needed except to decline. */
  readonly note: string | null;
  readonly address: string;
};

/**
 * Makes the decision. Throws REFUND_NOT_FOUND when no such refund waits for a person, APPROVAL_CHANGED when it is not what the
 * operator was shown or was decided meanwhile, APPROVAL_BY_TWO when the two would not be two, INVALID_PARAMETER without a note.
 */
export async function decideEnd(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  decision: EndDecision,
): Promise<void> {
  const { refund, move, userId, note, address } = decision;
  if (move !== 'decline' && note === null)
    throw new ServiceError('INVALID_PARAMETER', { param: 'note', message: 'note must say what you found out.' });
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const held = await lockHeld(tx, decision);
    if (move === 'ask') await ask(tx, decision, held, now);
    else await decide(tx, decision, { digest: held.digest, now, isAlone: isOwnSandbox(config) });
    if (move === 'approve') await wake(tx, refund, now);
    await recordAudit(tx, {
      actor: `user:${userId}`,
      storeId: held.storeId,
      action: `refund.end_${move}`,
      target: held.refundId,
      details: { note, transactions: held.transactions },
      address,
      now,
    });
  });
}

type Held = {
  readonly storeId: string;
  readonly refundId: string;
  readonly digest: Buffer;
  readonly transactions: readonly (string | null)[];
};

/** The refund as the operator was shown it. Whoever decides about it holds its row, and so does who looks again. */
async function lockHeld(tx: Tx, { refund, digest: shown }: EndDecision): Promise<Held> {
  const { rows } = await tx.query<{ store_id: string; refund_id: string }>({
    name: 'refund-end-lock',
    text: `SELECT store_id, refund_id FROM refunds WHERE id = $1 AND hold = $2 AND status = 'processing' FOR UPDATE`,
    values: [refund, FOR_A_PERSON],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('REFUND_NOT_FOUND', { message: 'No such refund waits for an operator.' });
  const open = await readOpenAttempts(tx, refund);
  const digest = endDigest(refund, open);
  if (!digest || !sameBytes(digest, Buffer.from(shown, 'hex'))) throw new ServiceError('APPROVAL_CHANGED');
  return { storeId: row.store_id, refundId: row.refund_id, digest, transactions: open.map(({ hash }) => hash) };
}

async function ask(tx: Tx, { refund, userId, note }: EndDecision, held: Held, now: Date): Promise<void> {
  const { digest, transactions } = held;
  // What somebody asked for while other transactions were judged is void.
  await tx.query({
    name: 'refund-end-void',
    text: `UPDATE approvals SET decided_at = $4, is_approved = false, note = 'void'
           WHERE kind = $1 AND target = $2 AND digest <> $3 AND decided_at IS NULL`,
    values: [REFUND_END, refund, digest, now],
  });
  const { rowCount } = await tx.query({
    name: 'refund-end-ask',
    text: `INSERT INTO approvals (id, kind, target, digest, details, asked_by, asked_at, note)
           SELECT $1, $2, $3, $4, $5, $6, $7, $8
           WHERE NOT EXISTS (SELECT FROM approvals WHERE kind = $2 AND target = $3 AND digest = $4 AND is_approved)
           ON CONFLICT (kind, target) WHERE decided_at IS NULL DO NOTHING`,
    values: [randomUUID(), REFUND_END, refund, digest, JSON.stringify({ refund, transactions }), userId, now, note],
  });
  if (rowCount !== 1) throw new ServiceError('APPROVAL_CHANGED');
}

type Deciding = { readonly digest: Buffer; readonly now: Date; readonly isAlone: boolean };

async function decide(
  tx: Tx,
  { refund, userId, move, note }: EndDecision,
  { digest, now, isAlone }: Deciding,
): Promise<void> {
  const { rows } = await tx.query<{ id: string; asked_by: string }>({
    name: 'refund-end-asked',
    text: `SELECT id, asked_by FROM approvals
           WHERE kind = $1 AND target = $2 AND digest = $3 AND decided_at IS NULL FOR UPDATE`,
    values: [REFUND_END, refund, digest],
  });
  const [open] = rows;
  if (!open) throw new ServiceError('APPROVAL_CHANGED');
  if (move === 'approve' && open.asked_by === userId) throw new ServiceError('APPROVAL_BY_TWO');
  // In a sandbox on one's own machine there is one person, who makes the second operator to see how it works.
  if (move === 'approve' && !isAlone) await checkTwo(tx, { approver: userId, asker: open.asked_by, now });
  await tx.query({
    name: 'refund-end-decide',
    text: `UPDATE approvals SET decided_by = $2, decided_at = $3, is_approved = $4, note = coalesce($5, note) WHERE id = $1`,
    values: [open.id, userId, now, move === 'approve', note],
  });
}

const wake = (tx: Tx, refund: string, now: Date): Promise<unknown> =>
  tx.query({
    name: 'refund-end-wake',
    text: `UPDATE refunds SET hold = NULL, hold_message = NULL, held_at = NULL, next_at = $2, epoch = epoch + 1
           WHERE id = $1`,
    values: [refund, now],
  });
