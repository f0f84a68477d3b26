// Decisions that need two operators: one requests, another approves, and either may decline. A digest names what they agree to, so an
// operator cannot agree to anything but what the page showed. Both functions run in the caller's transaction.

import { randomUUID } from 'node:crypto';
import type { Config } from '@/lib/platform/config/config';
import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import type { SignedApproval } from '@/lib/signer/attestations/refund-approval';
import { checkTwo } from './two-operators';

export type Move = 'request' | 'approve' | 'decline';

/** How audit entries name a move. They cannot be renamed, so that of a request is the one of their first version. */
export const AUDITED_MOVE: Readonly<Record<Move, string>> = { request: 'ask', approve: 'approve', decline: 'decline' };

/** One operator's decision about a refund. */
export type Decision = {
  /** The refund's own id (refunds.id). */
  readonly refund: string;
  /** Hex digest of what the operator was shown. */
  readonly digest: string;
  readonly move: Move;
  readonly userId: string;
  readonly note: string | null;
  readonly address: string;
  /** The operator's passkey over the digest, already verified; for `request` and `approve`. */
  readonly passkey?: SignedApproval | undefined;
};

/** `details`: what the digest stands for, kept for the record. `storeId`: whose money it is; null for the operator's own. */
type Agreement = {
  readonly kind: string;
  readonly digest: Buffer;
  readonly details: object;
  readonly storeId: string | null;
};

type Given = { readonly config: Pick<Config, 'SANDBOX_ORIGIN' | 'PUBLIC_URL'>; readonly now: Date };

/**
 * Stores the operator's decision about a refund. Throws APPROVAL_CHANGED when the request was made or decided in the meantime, or
 * when there is no open request for exactly this digest. Throws APPROVAL_BY_TWO when the two operators are not independent.
 */
export const storeDecision = (tx: Tx, agreement: Agreement, decision: Decision, given: Given): Promise<void> =>
  decision.move === 'request' ? request(tx, agreement, decision, given) : decide(tx, agreement, decision, given);

async function request(
  tx: Tx,
  { kind, digest, details }: Agreement,
  { refund, userId, note, passkey }: Decision,
  { now }: Given,
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'agreement-request',
    text: `INSERT INTO approvals (id, kind, target, digest, details, requested_by, requested_at, note, requester_passkey)
           SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9
           WHERE NOT EXISTS (SELECT FROM approvals WHERE kind = $2 AND target = $3 AND digest = $4 AND is_approved)
           ON CONFLICT (kind, target) WHERE decided_at IS NULL DO NOTHING`,
    values: [randomUUID(), kind, refund, digest, JSON.stringify(details), userId, now, note, asText(passkey)],
  });
  if (rowCount !== 1) throw new ServiceError('APPROVAL_CHANGED');
}

async function decide(
  tx: Tx,
  { kind, digest, storeId }: Agreement,
  { refund, userId, move, note, passkey }: Decision,
  { config, now }: Given,
): Promise<void> {
  const { rows } = await tx.query<{ id: string; requested_by: string }>({
    name: 'agreement-asked',
    text: `SELECT id, requested_by FROM approvals
           WHERE kind = $1 AND target = $2 AND digest = $3 AND decided_at IS NULL FOR UPDATE`,
    values: [kind, refund, digest],
  });
  const [open] = rows;
  if (!open) throw new ServiceError('APPROVAL_CHANGED');
  if (move === 'approve') {
    if (open.requested_by === userId) throw new ServiceError('APPROVAL_BY_TWO');
    // A sandbox on a developer's own machine has one person, who creates the second operator to try this out.
    if (!isOwnSandbox(config)) await checkTwo(tx, { approver: userId, requester: open.requested_by, storeId, now });
  }
  await tx.query({
    name: 'agreement-answer',
    text: `UPDATE approvals SET decided_by = $2, decided_at = $3, is_approved = $4, note = coalesce($5, note),
             decided_passkey = $6 WHERE id = $1`,
    values: [open.id, userId, now, move === 'approve', note, asText(passkey)],
  });
}

const asText = (passkey: SignedApproval | undefined): string | null => (passkey ? JSON.stringify(passkey) : null);
