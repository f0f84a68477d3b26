// The operators' side of a large refund: one asks for it, another one approves it, anybody of them turns it down. What they
// decide about is named by its digest, so a destination that changed since they read it is noticed. Every decision is audited.

import { randomUUID } from 'node:crypto';
import { recordAudit } from '@/lib/audit/record';
import type { Context } from '@/lib/context';
import { sameBytes } from '@/lib/crypto';
import { transaction, type Tx } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { isOwnSandbox } from '@/lib/own-sandbox';
import { REFUND_APPROVAL } from './approval';
import { checkTwo } from './two-operators';

export type ApprovalMove = 'ask' | 'approve' | 'decline';

export type ApprovalDecision = {
  /** The refund's own id (refunds.id). */
  readonly refund: string;
  /** Hex digest of what the operator was shown. */
  readonly digest: string;
  readonly move: ApprovalMove;
  readonly userId: string;
  readonly note: string | null;
  readonly address: string;
};

/**
 * Makes the decision. Throws REFUND_NOT_FOUND when the refund waits for none, APPROVAL_CHANGED when it is not what the operator
 * was shown or was decided meanwhile, APPROVAL_BY_TWO when the same operator would approve what they asked for, or one of the
 * two was made an operator by the other who asks, or within the last day.
 */
export async function decideApproval(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  decision: ApprovalDecision,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { storeId, digest, details } = await lockNeed(tx, decision);
    if (decision.move === 'ask') await ask(tx, decision, { digest, details, now });
    else await decide(tx, decision, { digest, now, isOwnSandbox: isOwnSandbox(config) });
    if (decision.move === 'approve') await wake(tx, decision.refund, now);
    await recordAudit(tx, {
      actor: `user:${decision.userId}`,
      storeId,
      action: `refund.approval_${decision.move}`,
      target: decision.refund,
      details: { ...details, digest: decision.digest, note: decision.note },
      address: decision.address,
      now,
    });
  });
}

type Need = { readonly storeId: string; readonly digest: Buffer; readonly details: Readonly<Record<string, string>> };

/** What the refund waits for, as the operator was shown it. Whoever decides about it holds this row. */
async function lockNeed(tx: Tx, { refund, digest: shown }: ApprovalDecision): Promise<Need> {
  const { rows } = await tx.query<{ store_id: string; digest: Buffer; details: Record<string, string> }>({
    name: 'approval-lock',
    text: `SELECT r.store_id, n.digest, n.details FROM approval_needs n JOIN refunds r ON r.id = n.refund
           WHERE n.refund = $1 AND r.status = 'processing' AND r.hold = 'approval_needed' FOR UPDATE OF n`,
    values: [refund],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('REFUND_NOT_FOUND', { message: 'No such refund waits for an approval.' });
  if (!sameBytes(row.digest, Buffer.from(shown, 'hex'))) throw new ServiceError('APPROVAL_CHANGED');
  return { storeId: row.store_id, digest: row.digest, details: row.details };
}

type Asking = { readonly digest: Buffer; readonly details: object; readonly now: Date };

async function ask(
  tx: Tx,
  { refund, userId, note }: ApprovalDecision,
  { digest, details, now }: Asking,
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'approval-ask',
    text: `INSERT INTO approvals (id, kind, target, digest, details, asked_by, asked_at, note)
           SELECT $1, $2, $3, $4, $5, $6, $7, $8
           WHERE NOT EXISTS (SELECT FROM approvals WHERE kind = $2 AND target = $3 AND digest = $4 AND is_approved)
           ON CONFLICT (kind, target) WHERE decided_at IS NULL DO NOTHING`,
    values: [randomUUID(), REFUND_APPROVAL, refund, digest, JSON.stringify(details), userId, now, note],
  });
  if (rowCount !== 1) throw new ServiceError('APPROVAL_CHANGED');
}

async function decide(
  tx: Tx,
  { refund, userId, move, note }: ApprovalDecision,
  { digest, now, isOwnSandbox: isSandbox }: Pick<Asking, 'digest' | 'now'> & { readonly isOwnSandbox: boolean },
): Promise<void> {
  const { rows } = await tx.query<{ id: string; asked_by: string }>({
    name: 'approval-open',
    text: `SELECT id, asked_by FROM approvals
           WHERE kind = $1 AND target = $2 AND digest = $3 AND decided_at IS NULL FOR UPDATE`,
    values: [REFUND_APPROVAL, refund, digest],
  });
  const [open] = rows;
  if (!open) throw new ServiceError('APPROVAL_CHANGED');
  if (move === 'approve' && open.asked_by === userId) throw new ServiceError('APPROVAL_BY_TWO');
  // In a sandbox on one's own machine there is one person, who makes the second operator to see how it works.
  if (move === 'approve' && !isSandbox) await checkTwo(tx, { approver: userId, asker: open.asked_by, now });
  await tx.query({
    name: 'approval-decide',
    text: `UPDATE approvals SET decided_by = $2, decided_at = $3, is_approved = $4, note = coalesce($5, note) WHERE id = $1`,
    values: [open.id, userId, now, move === 'approve', note],
  });
}

/** It waits for nothing else, so a worker turns to it at once; one that has it in hand right now loses it. */
const wake = (tx: Tx, refund: string, now: Date): Promise<unknown> =>
  tx.query({
    name: 'approval-wake',
    text: `UPDATE refunds SET next_at = $2, epoch = epoch + 1
           WHERE id = $1 AND status = 'processing' AND hold = 'approval_needed'`,
    values: [refund, now],
  });
