// The gate before a refund is drafted: nothing is drafted while the freeze switch is being turned, and a refund that takes its
// session's refunds above REFUND_APPROVAL_ABOVE only when two operators agreed to exactly this payment (issue: two-person approval). The worker works
// out what they are to agree to and leaves it in `approval_needs`; approve.ts and its like are the operators' side of it.

import { transaction, type Db, type Pool, type Tx } from '@/lib/db';
import type { PaymentOrder } from '@/lib/chains/send';
import { payoutDigest, payoutFacts, type Payout } from './approval-digest';
import type { HoldCode } from './holds';
import type { Destination, TakenRefund } from './rows';

/** `approvals.kind` of a refund; its target is the refund's id. */
export const REFUND_APPROVAL = 'refund';

type Asked = {
  /** Cents; a refund needs two operators when it and all others of its session are more. */
  readonly above: number;
  readonly refund: Pick<TakenRefund, 'id' | 'amount' | 'environment' | 'network' | 'sessionId'>;
  /** Why it goes where it goes. */
  readonly kind: Destination['kind'];
  readonly order: PaymentOrder;
  readonly now: Date;
};

/** Why the refund may not be drafted now: `frozen`, `approval_needed`, or null when nothing stands in its way. */
export async function needsApproval(pool: Pool, asked: Asked): Promise<HoldCode | null> {
  if (!(await isAbove(pool, asked))) return (await isFreezing(pool)) ? 'frozen' : null;
  const payout = payoutOf(asked);
  const digest = payoutDigest(payout);
  const { rows } = await pool.query<{ is_freezing: boolean; is_approved: boolean; is_noted: boolean }>({
    name: 'refund-approved',
    text: `SELECT EXISTS (SELECT FROM freeze_requests WHERE carried_out_at IS NULL) AS is_freezing,
             EXISTS (SELECT FROM approvals WHERE kind = $1 AND target = $2 AND digest = $3 AND is_approved
               AND decided_by IS NOT NULL AND decided_by <> asked_by) AS is_approved,
             EXISTS (SELECT FROM approval_needs WHERE refund = $2 AND digest = $3) AS is_noted`,
    values: [REFUND_APPROVAL, asked.refund.id, digest],
  });
  const [found] = rows;
  if (!found || found.is_freezing) return 'frozen';
  if (found.is_approved) return null;
  if (!found.is_noted) await transaction(pool, (tx) => note(tx, payout, digest, asked.now));
  return 'approval_needed';
}

/** Counts every refund of the session that may still be paid or was: many small ones are a large one. */
async function isAbove(db: Db, { above, refund }: Asked): Promise<boolean> {
  if (refund.amount > BigInt(above)) return true;
  const { rows } = await db.query<{ cents: string }>({
    name: 'refund-session-cents',
    text: `SELECT coalesce(sum(amount), 0)::text AS cents FROM refunds
           WHERE session_id = $1 AND environment = $2::"Environment" AND status NOT IN ('failed', 'canceled')`,
    values: [refund.sessionId, refund.environment],
  });
  return BigInt(rows[0]?.cents ?? 0) > BigInt(above);
}

async function isFreezing(db: Db): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'refund-freezing',
    text: 'SELECT 1 FROM freeze_requests WHERE carried_out_at IS NULL LIMIT 1',
    values: [],
  });
  return rowCount !== 0;
}

/** What operators are asked for from now on. What one of them asked for otherwise is void. */
async function note(tx: Tx, payout: Payout, digest: Buffer, now: Date): Promise<void> {
  await tx.query({
    name: 'approval-note',
    text: `INSERT INTO approval_needs (refund, digest, details, noted_at) VALUES ($1, $2, $3, $4)
           ON CONFLICT (refund) DO UPDATE
             SET digest = EXCLUDED.digest, details = EXCLUDED.details, noted_at = EXCLUDED.noted_at`,
    values: [payout.refund, digest, JSON.stringify(payoutFacts(payout)), now],
  });
  await tx.query({
    name: 'approval-void',
    text: `UPDATE approvals SET decided_at = $4, is_approved = false, note = 'void'
           WHERE kind = $1 AND target = $2 AND digest <> $3 AND decided_at IS NULL`,
    values: [REFUND_APPROVAL, payout.refund, digest, now],
  });
}

const payoutOf = ({ refund, order, kind }: Asked): Payout => ({
  refund: refund.id,
  environment: refund.environment,
  network: refund.network,
  currency: order.currency,
  contract: order.contract,
  to: order.to,
  kind,
  amount: order.amount,
});
