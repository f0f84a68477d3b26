// The state machines of payments and of their attempts as tables. Guards, buttons and tests derive from them. The status of a refund or a
// payout changes only through `movePayment` and an attempt's only through `moveAttempts`, which report whether this caller made the change.

import { noteChange } from '@/lib/platform/database/changes';
import type { Tx } from '@/lib/platform/database/db';
import { moveSql, type Choice } from '@/lib/platform/database/moves';
import type { AttemptStatus, RefundStatus } from '@/prisma/generated/enums';
import type { LeasedPayment, PaymentTable } from './rows';

export type RefundMove = 'begin' | 'complete' | 'fail' | 'cancel';

/** `cancel` has one more condition, which is in its update: no signature was requested yet. */
export const REFUND_MOVES: Readonly<
  Record<RefundMove, { readonly from: readonly RefundStatus[]; readonly to: RefundStatus }>
> = {
  begin: { from: ['pending'], to: 'processing' },
  complete: { from: ['processing'], to: 'completed' },
  fail: { from: ['processing'], to: 'failed' },
  cancel: { from: ['pending', 'processing'], to: 'canceled' },
};

export type AttemptMove = 'refuse' | 'sign' | 'send' | 'see' | 'land' | 'revert' | 'lapse' | 'replace';

/** At most one attempt of a payment lands; the others with its nonce are then replaced. */
export const ATTEMPT_MOVES: Readonly<
  Record<AttemptMove, { readonly from: readonly AttemptStatus[]; readonly to: AttemptStatus }>
> = {
  refuse: { from: ['drafted'], to: 'refused' },
  sign: { from: ['drafted'], to: 'signed' },
  send: { from: ['signed'], to: 'sent' },
  // An endpoint reports it. It may be recorded as unsent, because a crash can follow the broadcast.
  see: { from: ['signed', 'sent'], to: 'sent' },
  land: { from: ['signed', 'sent'], to: 'landed' },
  revert: { from: ['signed', 'sent'], to: 'reverted' },
  lapse: { from: ['signed', 'sent'], to: 'lapsed' },
  replace: { from: ['signed', 'sent'], to: 'replaced' },
};

/** Columns that a move sets together with the status. */
export type MoveDetails = {
  readonly at: Date;
  readonly signAfter?: Date;
  /** `receiptNumber`: of a refund only. */
  readonly completedBy?: { readonly transactionHash: string; readonly receiptNumber?: string };
  readonly failureReason?: string;
};

/** A payment, named by its table and id. */
export type PaymentName = Pick<LeasedPayment, 'table' | 'id'>;

const recordMove = (move: string): string =>
  `change AS (
           INSERT INTO refund_status_changes (intent_id, move, "from", "to", at)
           SELECT id, ${move}, status, $3::"RefundStatus", $4 FROM moved)
         SELECT * FROM moved`;

/** The columns by which the log names a payment, beside its id. */
const NAMES: Readonly<Record<PaymentTable, string>> = {
  refunds:
    'r.store_id AS store, r.session_id AS session, r.order_id, r.refund_id, NULL AS payout_id, r.request_id, r.traceparent',
  payouts:
    'r.store_id AS store, NULL AS session, NULL AS order_id, NULL AS refund_id, r.payout_id, NULL AS request_id, NULL AS traceparent',
  cold_transfers:
    'NULL AS store, NULL AS session, NULL AS order_id, NULL AS refund_id, NULL AS payout_id, NULL AS request_id, NULL AS traceparent',
};
type Named = {
  readonly store: string | null;
  readonly session: string | null;
  readonly order_id: string | null;
  readonly refund_id: string | null;
  readonly payout_id: string | null;
  readonly request_id: string | null;
  readonly traceparent: string | null;
};
type MovedRow = Named & { readonly id: string; readonly status: RefundStatus };
const KINDS = { refunds: 'refund', payouts: 'payout', cold_transfers: 'cold_transfer' } as const;

function noteMove(tx: Tx, table: PaymentTable, moved: MovedRow, to: RefundStatus, transaction: string | null): void {
  const { id, status: from, ...names } = moved;
  noteChange(tx, { of: KINDS[table], from, to, [KINDS[table]]: id, transaction, ...names });
}

const moveOf = (table: PaymentTable) => ({
  name: `move-${table}`,
  text: `WITH before AS (
           SELECT id, status FROM ${table}
           WHERE id = $1 AND status = ANY($2::"RefundStatus"[]) FOR UPDATE),
         moved AS (
           UPDATE ${table} r SET status = $3::"RefundStatus", sign_after = coalesce($5, r.sign_after),
                  transaction_hash = $6, failure_reason = $7, ${table === 'refunds' ? 'receipt_number = $9,' : ''}
                  processed_at = CASE WHEN $3 <> 'processing' THEN $4::timestamptz END,
                  hold = NULL, hold_message = NULL, held_at = NULL
           FROM before WHERE r.id = before.id RETURNING r.id, before.status, ${NAMES[table]}),
         ${recordMove('$8')}`,
});

/** Makes the move and records it. Returns false when the payment was not in a state that the move starts from. */
export async function movePayment(
  tx: Tx,
  payment: PaymentName,
  move: RefundMove,
  details: MoveDetails,
): Promise<boolean> {
  if (move === 'cancel') return markCanceled(tx, payment, details.at);
  const { from, to } = REFUND_MOVES[move];
  const { transactionHash = null, receiptNumber = null } = details.completedBy ?? {};
  const { at, signAfter = null, failureReason = null } = details;
  const values = [payment.id, from, to, at, signAfter, transactionHash, failureReason, move];
  const { rows } = await tx.query<MovedRow>({
    ...moveOf(payment.table),
    values: payment.table === 'refunds' ? [...values, receiptNumber] : values,
  });
  const [moved] = rows;
  if (moved) noteMove(tx, payment.table, moved, to, transactionHash);
  return moved !== undefined;
}

export const moveRefund = (tx: Tx, id: string, move: RefundMove, details: MoveDetails): Promise<boolean> =>
  movePayment(tx, { table: 'refunds', id }, move, details);

// A separate statement: the role of the web process may not write the columns of the other moves (scripts/database-roles/grants.mjs).
const cancelOf = (table: PaymentTable) => ({
  name: `cancel-${table}`,
  text: `WITH before AS (
           SELECT id, status FROM ${table} WHERE id = $1 AND status = ANY($2::"RefundStatus"[]) AND signature_requested_at IS NULL FOR UPDATE),
         moved AS (
           UPDATE ${table} r SET status = $3::"RefundStatus", processed_at = $4::timestamptz,
                  hold = NULL, hold_message = NULL, held_at = NULL
           FROM before WHERE r.id = before.id RETURNING r.id, before.status, ${NAMES[table]}),
         ${recordMove('$5')}`,
});

/** Makes the move `cancel`. Returns false when a signature was requested, or the payment has ended. */
export async function markCanceled(tx: Tx, { table, id }: PaymentName, at: Date): Promise<boolean> {
  const { from, to } = REFUND_MOVES.cancel;
  const { rows } = await tx.query<MovedRow>({ ...cancelOf(table), values: [id, from, to, at, 'cancel'] });
  const [moved] = rows;
  if (moved) noteMove(tx, table, moved, to, null);
  return moved !== undefined;
}

/** An update of attempts by a move. `set`, `where` and the conditions of several moves are SQL over `values`. */
export type AttemptUpdate = {
  readonly name: string;
  readonly move: Choice<AttemptMove>;
  readonly set: string;
  readonly where: string;
  readonly values: readonly unknown[];
};

/** Makes the move with the attempts of `where` that are in a status from which it starts. Returns the intent of each. */
export async function moveAttempts(
  tx: Tx,
  { name, move, set, where, values }: AttemptUpdate,
): Promise<readonly string[]> {
  const { to, isFrom } = moveSql({ column: 'status', type: 'AttemptStatus', moves: ATTEMPT_MOVES }, move);
  const text = `UPDATE refund_attempts SET status = ${to}, ${set} WHERE (${where}) AND ${isFrom} RETURNING intent_id`;
  const { rows } = await tx.query<{ intent_id: string }>({ name, text, values: [...values] });
  return rows.map(({ intent_id }) => intent_id);
}
