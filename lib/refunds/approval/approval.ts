// The gate before a refund is drafted. The worker drafts nothing while a freeze is being requested. Two operators must first approve
// exactly this payment in three cases: it takes its session's refunds above REFUND_APPROVAL_ABOVE; it goes to an address from the customer
// and is above the signer's claim limit; it is above its store's share of the signer's limits. The worker stores what they have to approve
// in `approval_needs`.

import { transaction, type Db, type Pool, type Tx } from '@/lib/platform/database/db';
import type { PaymentOrder } from '@/lib/networks/sending/send';
import {
  paymentDigest,
  paymentFacts,
  signedApproval,
  type ApprovedPayment,
  type SignedApproval,
} from '@/lib/signer/attestations/refund-approval';
import type { SignerState } from '@/lib/signer/client';
import type { Hold } from '@/lib/refunds/sending/lease';
import { holdSentence, type HoldCode } from '@/lib/refunds/holds';
import type { LeasedRefund } from '@/lib/refunds/rows';
import { isAboveShare, type PaymentLimits } from './store-share';

/** `approvals.kind` of a refund or payout; its target is the id of that. */
export const REFUND_APPROVAL = 'refund';

/** What the signer requires of payments in an environment. */
export type Demands = {
  /** Whether approvals need the passkey signatures of both operators. */
  readonly needsPasskeys: boolean;
  /** Cents that the signer pays in total. */
  readonly limits: PaymentLimits;
  /** Cents that the signer pays to addresses that customers gave, without an approval; null for no such limits. */
  readonly claims: PaymentLimits | null;
};

export const demandsOf = ({ guarded, limits }: SignerState, environment: LeasedRefund['environment']): Demands => ({
  needsPasskeys: guarded[environment],
  limits: paymentLimits(limits),
  claims: guarded[environment] ? paymentLimits(limits.claims) : null,
});

const paymentLimits = ({ perRefund, perHour, perDay }: SignerState['limits']['claims']): PaymentLimits => ({
  perRefund: BigInt(perRefund),
  perHour: BigInt(perHour),
  perDay: BigInt(perDay),
});

/** What operators approve: the payment of a refund or payout, and why it goes to its destination. */
export type Approved = {
  readonly refund: Pick<LeasedRefund, 'id' | 'storeId' | 'amount' | 'currency' | 'environment' | 'network'>;
  readonly kind: ApprovedPayment['kind'];
  readonly order: PaymentOrder;
};

type Requested = Approved & {
  readonly refund: Pick<LeasedRefund, 'sessionId'>;
  /** Cents; a refund needs two operators when it and the session's other refunds add up to more. */
  readonly above: number;
  readonly demands: Demands;
  readonly now: Date;
};

type Known = {
  is_freezing: boolean;
  is_approved: boolean;
  is_noted: boolean;
  /** Whether the signer refused this payment because an approval was missing. */
  is_demanded: boolean;
  /** Whether another operator declined what was requested. */
  is_declined: boolean;
};

/** How long an approval counts for a payment that is not signed yet: the operators approved it in view of that time. */
const VALID_DAYS = 7;
const IS_VALID = (now: string): string => `decided_at > ${now}::timestamptz - interval '${VALID_DAYS} days'`;

/** Why the refund may not be drafted now: `frozen`, `approval_needed`, or null when it may be drafted. */
export async function needsApproval(pool: Pool, requested: Requested): Promise<Hold | null> {
  const gate = await approvalGate(pool, requested, { ...requested.demands, now: requested.now });
  if (!('isDemanded' in gate)) return gate.hold;
  const isLarge = gate.isDemanded || isLargeClaim(requested) || (await isAbove(pool, requested));
  if (!isLarge && !(await isAboveShare(pool, requested))) return null;
  await gate.note();
  return holdFor('approval_needed', isLarge ? undefined : ABOVE_SHARE);
}

type RequestedPayout = Approved & {
  /** Cents; a larger payout needs two operators. */
  readonly above: number;
  readonly needsPasskeys: boolean;
  readonly now: Date;
};

/** The same for a payout. `declined`: an operator declined it, so it is never paid. */
export async function payoutNeedsApproval(pool: Pool, requested: RequestedPayout): Promise<Hold | 'declined' | null> {
  const gate = await approvalGate(pool, requested, requested);
  if (!('isDemanded' in gate)) return gate.hold;
  if (!gate.isDemanded && requested.refund.amount <= BigInt(requested.above)) return null;
  if (gate.isDeclined) return 'declined';
  await gate.note();
  return holdFor('approval_needed', LARGE_PAYOUT);
}

type Gate =
  | { readonly hold: Hold | null }
  | { readonly isDemanded: boolean; readonly isDeclined: boolean; readonly note: () => Promise<void> };

/** Whether the payment is frozen or approved. Otherwise what is known of its approval, and how to note that it needs one. */
async function approvalGate(
  pool: Pool,
  approved: Approved,
  { needsPasskeys, now }: { readonly needsPasskeys: boolean; readonly now: Date },
): Promise<Gate> {
  const { refund } = approved;
  const payment = paymentOf(approved);
  const digest = paymentDigest(payment);
  const { rows } = await pool.query<Known>({
    name: 'refund-approved',
    text: `SELECT EXISTS (SELECT FROM freeze_requests WHERE carried_out_at IS NULL) AS is_freezing,
             EXISTS (SELECT FROM approvals WHERE kind = $1 AND target = $2 AND digest = $3 AND is_approved
               AND decided_by IS NOT NULL AND decided_by <> requested_by AND ${IS_VALID('$5')}
               AND (NOT $4 OR (requester_passkey IS NOT NULL AND decided_passkey IS NOT NULL))) AS is_approved,
             EXISTS (SELECT FROM approval_needs n WHERE refund = $2 AND digest = $3 AND needs_passkeys = $4
               AND NOT EXISTS (SELECT FROM approvals a WHERE a.kind = $1 AND a.target = $2 AND a.digest = $3 AND a.is_approved)) AS is_noted,
             EXISTS (SELECT FROM approval_needs WHERE refund = $2 AND digest = $3 AND trouble IS NOT NULL) AS is_demanded,
             EXISTS (SELECT FROM approvals WHERE kind = $1 AND target = $2 AND digest = $3 AND NOT is_approved
               AND decided_by IS NOT NULL AND decided_by <> requested_by) AS is_declined`,
    values: [REFUND_APPROVAL, refund.id, digest, needsPasskeys, now],
  });
  const [found] = rows;
  if (!found || found.is_freezing) return { hold: holdFor('frozen') };
  if (found.is_approved) return { hold: null };
  return {
    isDemanded: found.is_demanded,
    isDeclined: found.is_declined,
    note: async () => {
      if (!found.is_noted) await transaction(pool, (tx) => note(tx, payment, digest, { needsPasskeys, now }));
    },
  };
}

const holdFor = (code: HoldCode, message = holdSentence(code)): Hold => ({ code, message });

const ABOVE_SHARE =
  'The store’s refunds have reached its share of the operator’s limits for an hour or a day. This refund is sent when the share has room again, or when the operator approves it.';

const LARGE_PAYOUT = 'A payout of this size waits for the approval of two operators.';

/** The passkey signatures of the two operators who approved exactly this payment; none where they approved without passkeys. */
export async function readSignatures(db: Db, approved: Approved): Promise<readonly SignedApproval[]> {
  const { rows } = await db.query<{ requester_passkey: unknown; decided_passkey: unknown }>({
    name: 'refund-signatures',
    text: `SELECT requester_passkey, decided_passkey FROM approvals
           WHERE kind = $1 AND target = $2 AND digest = $3 AND is_approved ORDER BY decided_at DESC LIMIT 1`,
    values: [REFUND_APPROVAL, approved.refund.id, paymentDigest(paymentOf(approved))],
  });
  // Drop a malformed signature: it would make the signer refuse the whole request.
  return [rows[0]?.requester_passkey, rows[0]?.decided_passkey].flatMap((one) => {
    const read = signedApproval.safeParse(one);
    return read.success ? [read.data] : [];
  });
}

/**
 * Records that the signer refused a payment because an approval was missing, and voids the approval that it did not accept. The operators
 * can approve again once they have fixed what `trouble` describes.
 */
export async function recordRefused(
  tx: Tx,
  approved: Approved,
  { trouble, now }: { readonly trouble: string; readonly now: Date },
): Promise<void> {
  const payment = paymentOf(approved);
  const digest = paymentDigest(payment);
  await note(tx, payment, digest, { needsPasskeys: true, now });
  await tx.query({
    name: 'approval-refused',
    text: 'UPDATE approval_needs SET trouble = $2 WHERE refund = $1',
    values: [payment.refund, trouble],
  });
  await tx.query({
    name: 'approval-void-refused',
    text: `UPDATE approvals SET is_approved = false, decided_by = NULL, note = 'void'
           WHERE kind = $1 AND target = $2 AND digest = $3 AND is_approved`,
    values: [REFUND_APPROVAL, payment.refund, digest],
  });
}

const isLargeClaim = ({ kind, refund, demands: { claims } }: Requested): boolean =>
  kind === 'claim' && claims !== null && refund.amount > claims.perRefund;

/** Counts all refunds of the session that were or may still be paid, so that a large refund cannot be split into small ones. */
async function isAbove(db: Db, { above, refund }: Requested): Promise<boolean> {
  if (refund.amount > BigInt(above)) return true;
  const { rows } = await db.query<{ cents: string }>({
    name: 'refund-session-cents',
    text: `SELECT coalesce(sum(amount), 0)::text AS cents FROM refunds
           WHERE session_id = $1 AND environment = $2::"Environment" AND status NOT IN ('failed', 'canceled')`,
    values: [refund.sessionId, refund.environment],
  });
  return BigInt(rows[0]?.cents ?? 0) > BigInt(above);
}

/** Stores what operators have to approve from now on. Requests and approvals for anything else become void. */
async function note(
  tx: Tx,
  payment: ApprovedPayment,
  digest: Buffer,
  { needsPasskeys, now }: { readonly needsPasskeys: boolean; readonly now: Date },
): Promise<void> {
  await tx.query({
    name: 'approval-note',
    text: `INSERT INTO approval_needs AS n (refund, digest, details, noted_at, needs_passkeys) VALUES ($1, $2, $3, $4, $5)
           ON CONFLICT (refund) DO UPDATE
             SET digest = EXCLUDED.digest, details = EXCLUDED.details, noted_at = EXCLUDED.noted_at,
               needs_passkeys = EXCLUDED.needs_passkeys, trouble = CASE WHEN n.digest = EXCLUDED.digest THEN n.trouble END`,
    values: [payment.refund, digest, JSON.stringify(paymentFacts(payment)), now, needsPasskeys],
  });
  await tx.query({
    name: 'approval-void',
    text: `UPDATE approvals SET decided_at = $4, decided_by = NULL, is_approved = false, note = 'void'
           WHERE kind = $1 AND target = $2 AND (
             (decided_at IS NULL AND (digest <> $3 OR ($5 AND requester_passkey IS NULL)))
             OR (digest = $3 AND is_approved AND (NOT ${IS_VALID('$4')}
               OR ($5 AND (requester_passkey IS NULL OR decided_passkey IS NULL)))))`,
    values: [REFUND_APPROVAL, payment.refund, digest, now, needsPasskeys],
  });
}

const paymentOf = ({ refund, order, kind }: Approved): ApprovedPayment => ({
  refund: refund.id,
  environment: refund.environment,
  network: refund.network,
  currency: order.currency,
  contract: order.contract,
  to: order.to,
  kind,
  amount: order.amount,
});
