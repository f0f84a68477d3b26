// Held refunds and payouts of all stores, by the reason that holds them, and the approvals that operators were requested to give.

import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { centsToText } from '@/lib/money/amounts';
import { REFUND_APPROVAL } from '@/lib/refunds/approval/approval';
import { isHoldCode, type HoldCode } from '@/lib/refunds/holds';
import { isEndable } from '@/lib/refunds/approval/force-fail-agreed';
import { HOLD_UNTIL } from '@/lib/refunds/read';
import type { PaymentTable } from '@/lib/refunds/rows';
import { readEnds, type HeldEnd } from './force-fails';

export type HeldRefund = {
  /** The service's id of it, and the merchant's. */
  readonly id: string;
  readonly isPayout: boolean;
  /** A transfer to the cold wallet. It belongs to no store. */
  readonly isCold: boolean;
  readonly refundId: string;
  readonly storeId: string | null;
  readonly storeName: string | null;
  readonly environment: Environment;
  readonly network: string;
  readonly currency: string;
  /** Decimal text. */
  readonly amount: string;
  readonly hold: HoldCode | null;
  readonly holdMessage: string | null;
  readonly heldAt: Date | null;
  /** When it resumes, if known. */
  readonly holdUntil: Date | null;
  /** Whether it can still be canceled: no signature was requested yet. */
  readonly isCancelable: boolean;
  readonly approval: HeldApproval | null;
  /** The force-fail that only operators can decide; null while another outcome is possible. */
  readonly end: HeldEnd | null;
};

/** An approval that needs two operators. */
export type HeldApproval = {
  readonly digest: string;
  readonly to: string;
  /** Whose address it is: the proven payer's, one that was named by a claim link, or the store's own. */
  readonly kind: 'payer' | 'claim' | 'payout';
  /** Whether the signer verifies the passkeys of both operators. */
  readonly needsPasskeys: boolean;
  /** Why the signer last refused the payment for lack of an approval; null if it has not. */
  readonly trouble: string | null;
  /** The operator who requested it and when; null before a request. */
  readonly requestedBy: {
    readonly userId: string;
    readonly name: string;
    readonly at: Date;
    readonly note: string | null;
  } | null;
  /** The operator who declined it since it was held, if any. */
  readonly declined: { readonly name: string; readonly note: string | null } | null;
};

export type HeldQuery = { readonly hold: HoldCode | null; readonly before: string | null; readonly limit: number };

type Row = {
  id: string;
  refund_id: string;
  store_id: string | null;
  store_name: string | null;
  environment: Environment;
  is_payout: boolean;
  is_cold: boolean;
  network: string;
  currency: string;
  amount: string;
  hold: string | null;
  hold_message: string | null;
  held_at: Date | null;
  hold_until: Date | null;
  signature_requested_at: Date | null;
  digest: string | null;
  to: string | null;
  kind: string | null;
  needs_passkeys: boolean | null;
  trouble: string | null;
  requested_by: string | null;
  requester_name: string | null;
  approval_requested_at: Date | null;
  note: string | null;
  declined_name: string | null;
  declined_note: string | null;
};

const NAME = (user: string): string => `coalesce(nullif(${user}.name, ''), ${user}.email)`;

const OWN_COLUMNS: Readonly<Record<PaymentTable, string>> = {
  refunds: 'refund_id, store_id',
  payouts: 'payout_id AS refund_id, store_id',
  cold_transfers: 'id AS refund_id, NULL::text AS store_id',
};

/** A page of one table. */
const heldIn = (table: PaymentTable): string => `
  SELECT id, ${OWN_COLUMNS[table]}, ${table === 'payouts'} AS is_payout, ${table === 'cold_transfers'} AS is_cold, environment,
    network, currency, amount, hold, hold_message, held_at, signature_requested_at
  FROM ${table} WHERE status = 'processing' AND hold IS NOT NULL AND ($1::text IS NULL OR hold = $1)
    AND ($2::text IS NULL OR id > $2) ORDER BY id LIMIT $3`;

/** One page, ordered by id, which no hold changes. `next` is where the next page begins. */
export async function listHeldRefunds(
  { pool }: Pick<Context, 'pool'>,
  { hold, before, limit }: HeldQuery,
): Promise<{ readonly refunds: readonly HeldRefund[]; readonly next: string | null }> {
  const { rows } = await pool.query<Row>({
    name: 'operator-held',
    text: `WITH page AS (
             (${heldIn('refunds')}) UNION ALL (${heldIn('payouts')}) UNION ALL (${heldIn('cold_transfers')}) ORDER BY id LIMIT $3)
           SELECT r.id, r.refund_id, r.is_payout, r.is_cold, r.store_id, s.name AS store_name, r.environment, r.network, r.currency,
             r.amount, r.hold, r.hold_message, r.held_at, ${HOLD_UNTIL} AS hold_until, r.signature_requested_at, encode(n.digest, 'hex') AS digest, n.details->>'to' AS "to",
             n.details->>'kind' AS kind, n.needs_passkeys, n.trouble,
             a.requested_by, ${NAME('u')} AS requester_name, a.requested_at AS approval_requested_at, a.note,
             ${NAME('d')} AS declined_name, x.note AS declined_note
           FROM page r LEFT JOIN stores s ON s.id = r.store_id
           LEFT JOIN approval_needs n ON n.refund = r.id AND r.hold = 'approval_needed'
           LEFT JOIN approvals a ON a.kind = $4 AND a.target = r.id AND a.digest = n.digest AND a.decided_at IS NULL
           LEFT JOIN users u ON u.id = a.requested_by
           LEFT JOIN LATERAL (SELECT decided_by, note FROM approvals WHERE kind = $4 AND target = r.id AND digest = n.digest
             AND NOT is_approved AND decided_by IS NOT NULL ORDER BY decided_at DESC LIMIT 1) x ON a.id IS NULL
           LEFT JOIN users d ON d.id = x.decided_by
           ORDER BY r.id`,
    values: [hold, before, limit + 1, REFUND_APPROVAL],
  });
  const shown = rows.slice(0, limit);
  const ends = await readEnds(
    pool,
    shown.flatMap(({ id, hold: held }) => (isEndable(held) ? [{ id, hold: held }] : [])),
  );
  const refunds = shown.map((row) => ({ ...heldOf(row), end: ends.get(row.id) ?? null }));
  return { refunds, next: rows.length > limit ? (refunds.at(-1)?.id ?? null) : null };
}

/** Number of held refunds for each reason, the largest first; each at most a thousand. */
export async function countHolds({
  pool,
}: Pick<Context, 'pool'>): Promise<readonly { hold: HoldCode; count: number }[]> {
  const { rows } = await pool.query<{ hold: string; count: number }>({
    name: 'operator-holds',
    text: `SELECT hold, count(*)::int AS count FROM (
             (SELECT hold FROM refunds WHERE hold IS NOT NULL AND status = 'processing' LIMIT 20000) UNION ALL
             (SELECT hold FROM payouts WHERE hold IS NOT NULL AND status = 'processing' LIMIT 20000) UNION ALL
             (SELECT hold FROM cold_transfers WHERE hold IS NOT NULL AND status = 'processing' LIMIT 20000)) AS held
           GROUP BY hold ORDER BY 2 DESC, 1`,
    values: [],
  });
  return rows.flatMap(({ hold, count }) => (isHoldCode(hold) ? [{ hold, count }] : []));
}

const heldOf = (row: Row): Omit<HeldRefund, 'end'> => ({
  id: row.id,
  isPayout: row.is_payout,
  isCold: row.is_cold,
  refundId: row.refund_id,
  storeId: row.store_id,
  storeName: row.store_name,
  environment: row.environment,
  network: row.network,
  currency: row.currency,
  amount: centsToText(BigInt(row.amount)),
  hold: row.hold !== null && isHoldCode(row.hold) ? row.hold : null,
  holdMessage: row.hold_message,
  heldAt: row.held_at,
  holdUntil: row.hold_until,
  isCancelable: row.signature_requested_at === null,
  approval: row.digest === null ? null : approvalOf(row, row.digest),
});

const approvalOf = (row: Row, digest: string): HeldApproval => ({
  digest,
  to: row.to ?? '',
  // An address that is not proven to be the payer's counts as claimed.
  kind: row.kind === 'payer' || row.kind === 'payout' ? row.kind : 'claim',
  needsPasskeys: row.needs_passkeys ?? false,
  trouble: row.trouble,
  requestedBy:
    row.requested_by && row.approval_requested_at
      ? { userId: row.requested_by, name: row.requester_name ?? '', at: row.approval_requested_at, note: row.note }
      : null,
  declined: row.declined_name ? { name: row.declined_name, note: row.declined_note } : null,
});
