// The operators' side of a large refund or payout: one requests approval, another approves, either may decline. A digest names what they decide
// about, so the service notices when the destination changed after they read it. Every decision goes into the audit log.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { sameBytes } from '@/lib/platform/crypto';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { AUDITED_MOVE, storeDecision, type Decision } from './agreement';
import { REFUND_APPROVAL } from './approval';

/**
 * Makes the decision. Throws REFUND_NOT_FOUND when the refund waits for no approval, and APPROVAL_CHANGED when it differs from what the
 * operator was shown or was decided in the meantime. Throws APPROVAL_BY_TWO when the requester would approve, when one operator granted
 * the other's role, when a role is less than a day old, or when one of them is a member of the store. Throws PASSKEY_NEEDED when the signer requires the operator's passkey
 * signature over exactly this and it is missing.
 */
export async function decideApproval(
  { pool, clock, config }: Pick<Context, 'pool' | 'clock' | 'config'>,
  decision: Decision,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { storeId, isPayout, digest, details, needsPasskeys } = await lockNeed(tx, decision);
    if (needsPasskeys && decision.move !== 'decline' && !decision.passkey) throw new ServiceError('PASSKEY_NEEDED');
    await storeDecision(tx, { kind: REFUND_APPROVAL, digest, details, storeId }, decision, { config, now });
    // A payout that was declined fails.
    if (decision.move === 'approve' || isPayout)
      await makeDue(tx, isPayout ? 'payouts' : 'refunds', decision.refund, now);
    await recordAudit(tx, {
      actor: `user:${decision.userId}`,
      storeId,
      action: `${isPayout ? 'payout' : 'refund'}.approval_${AUDITED_MOVE[decision.move]}`,
      target: decision.refund,
      details: { ...details, digest: decision.digest, note: decision.note },
      address: decision.address,
      now,
    });
  });
}

type Need = {
  readonly storeId: string;
  readonly isPayout: boolean;
  readonly digest: Buffer;
  readonly details: Readonly<Record<string, string>>;
  readonly needsPasskeys: boolean;
};

/** The payment that waits for approval, as the operator was shown it. The decision locks this row. */
async function lockNeed(tx: Tx, { refund, digest: shown }: Decision): Promise<Need> {
  const { rows } = await tx.query<{
    store_id: string;
    is_payout: boolean;
    digest: Buffer;
    details: Record<string, string>;
    needs_passkeys: boolean;
  }>({
    name: 'approval-lock',
    text: `SELECT r.store_id, r.is_payout, n.digest, n.details, n.needs_passkeys FROM approval_needs n JOIN (
             SELECT id, store_id, status, hold, false AS is_payout FROM refunds WHERE id = $1
             UNION ALL SELECT id, store_id, status, hold, true FROM payouts WHERE id = $1) r ON r.id = n.refund
           WHERE n.refund = $1 AND r.status = 'processing' AND r.hold = 'approval_needed' FOR UPDATE OF n`,
    values: [refund],
  });
  const [row] = rows;
  if (!row) throw new ServiceError('REFUND_NOT_FOUND', { message: 'No such refund waits for an approval.' });
  if (!sameBytes(row.digest, Buffer.from(shown, 'hex'))) throw new ServiceError('APPROVAL_CHANGED');
  return {
    storeId: row.store_id,
    isPayout: row.is_payout,
    digest: row.digest,
    details: row.details,
    needsPasskeys: row.needs_passkeys,
  };
}

/** Makes the payment due, because it waits for nothing else. A worker that holds its lease loses it. */
const makeDue = (tx: Tx, table: 'refunds' | 'payouts', id: string, now: Date): Promise<unknown> =>
  tx.query({
    name: `approval-wake-${table}`,
    text: `UPDATE ${table} SET next_at = $2, epoch = epoch + 1
           WHERE id = $1 AND status = 'processing' AND hold = 'approval_needed'`,
    values: [id, now],
  });
