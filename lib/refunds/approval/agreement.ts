// What takes two operators: one asks, another one agrees, anybody of them turns it down. What they agree to is named by a digest,
// so that nobody agrees to something else than they were shown. Both happen in their caller's transaction.

import { randomUUID } from 'node:crypto';
import type { Config } from '@/lib/platform/config/config';
import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import type { SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { checkTwo } from './two-operators';

export type Move = 'ask' | 'approve' | 'decline';

/** One operator's word about a refund. */
export type Decision = {
  /** The refund's own id (refunds.id). */
  readonly refund: string;
  /** Hex digest of what the operator was shown. */
  readonly digest: string;
  readonly move: Move;
  readonly userId: string;
  readonly note: string | null;
  readonly address: string;
  /** The operator's passkey over the digest, already verified; for `ask` and `approve`. */
  readonly passkey?: SignedApproval | undefined;
};

/** `details`: what the digest stands for, for the record. */
type Agreement = { readonly kind: string; readonly digest: Buffer; readonly details: object };

type Given = { readonly config: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL'>; readonly now: Date };

/**
 * Keeps the operator's word about a refund. Throws APPROVAL_CHANGED when it was asked for or decided meanwhile, or nobody asked
 * for exactly this, and APPROVAL_BY_TWO when the two would not be two.
 */
export const keepDecision = (tx: Tx, agreement: Agreement, decision: Decision, given: Given): Promise<void> =>
  decision.move === 'ask' ? ask(tx, agreement, decision, given) : answer(tx, agreement, decision, given);

async function ask(
  tx: Tx,
  { kind, digest, details }: Agreement,
  { refund, userId, note, passkey }: Decision,
  { now }: Given,
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'agreement-ask',
    text: `INSERT INTO approvals (id, kind, target, digest, details, asked_by, asked_at, note, asked_passkey)
           SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
           WHERE NOT EXISTS (SELECT FROM approvals WHERE kind = $2 AND target = $3 AND digest = $4 AND is_approved)
           ON CONFLICT (kind, target) WHERE decided_at IS NULL DO NOTHING`,
    values: [randomUUID(), kind, refund, digest, JSON.stringify(details), userId, now, note, asText(passkey)],
  });
  if (rowCount !== 1) throw new ServiceError('APPROVAL_CHANGED');
}

async function answer(
  tx: Tx,
  { kind, digest }: Agreement,
  { refund, userId, move, note, passkey }: Decision,
  { config, now }: Given,
): Promise<void> {
  const { rows } = await tx.query<{ id: string; asked_by: string }>({
    name: 'agreement-asked',
    text: `SELECT id, asked_by FROM approvals
           WHERE kind = $1 AND target = $2 AND digest = $3 AND decided_at IS NULL FOR UPDATE`,
    values: [kind, refund, digest],
  });
  const [open] = rows;
  if (!open) throw new ServiceError('APPROVAL_CHANGED');
  if (move === 'approve') {
    if (open.asked_by === userId) throw new ServiceError('APPROVAL_BY_TWO');
    // In a sandbox on one's own machine there is one person, who makes the second operator to see how it works.
    if (!isOwnSandbox(config)) await checkTwo(tx, { approver: userId, asker: open.asked_by, now });
  }
  await tx.query({
    name: 'agreement-answer',
    text: `UPDATE approvals SET decided_by = $2, decided_at = $3, is_approved = $4, note = coalesce($5, note),
             decided_passkey = $6 WHERE id = $1`,
    values: [open.id, userId, now, move === 'approve', note, asText(passkey)],
  });
}

const asText = (passkey: SignedApproval | undefined): string | null => (passkey ? JSON.stringify(passkey) : null);
