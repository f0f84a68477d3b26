// Reads a refund for its merchant: one statement spends the nonce and reads the refund. Merchants name their refunds, so another store can
// use the same name: the caller's own refund comes first.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { RefundStatus } from '@/prisma/generated/enums';
import { merchantIdIn } from '@/lib/platform/request-text';
import type { RefundFacts } from './view';

/** Until when a refund `r` is on hold; null where that is not known. */
export const HOLD_UNTIL = `CASE WHEN r.hold = 'address_delay' THEN
  (SELECT n.pay_after FROM refund_address_notices n WHERE n.refund = r.id) END`;

/** The columns that `refundFacts` reads, of a table named `r`. */
export const REFUND_COLUMNS = `r.id, r.refund_id, r.session_id, r.order_id, r.amount, r.currency, r.network, r.status, r.reason,
  r.description, r.metadata::text AS metadata, r.created_at, r.processed_at, r.destination, r.hold, r.hold_message,
  r.claim_ciphertext, r.failure_reason, r.transaction_hash, r.receipt_number, r.cost_charged, ${HOLD_UNTIL} AS hold_until`;

/** SQL: whether another store of the environment has a refund with this name. */
export const isElsewhere = (name: string, store: string, environment: string): string => `
  EXISTS (SELECT FROM refunds o WHERE o.refund_id = ${name} AND o.environment = ${environment}::"Environment" AND o.store_id <> ${store})`;

export const READ_REFUND_SQL = `
WITH ${SPEND_NONCE}
SELECT ${SPENT_COLUMNS}, ${isElsewhere('$3', '$4', '$5')} AS elsewhere, ${REFUND_COLUMNS}
FROM (VALUES (1)) AS one LEFT JOIN refunds r ON r.refund_id = $3 AND r.store_id = $4 AND r.environment = $5::"Environment"`;

export type RefundRow = {
  id: string;
  refund_id: string;
  session_id: string;
  order_id: string;
  amount: string;
  currency: string;
  network: string;
  status: RefundStatus;
  reason: string | null;
  description: string | null;
  metadata: string | null;
  created_at: Date;
  processed_at: Date | null;
  destination: string | null;
  hold: string | null;
  hold_message: string | null;
  hold_until: Date | null;
  claim_ciphertext: Buffer | null;
  failure_reason: string | null;
  transaction_hash: string | null;
  receipt_number: string | null;
  cost_charged: string | null;
};

/** The statement always returns one row. */
type FoundRow = SpentRow & { elsewhere: boolean } & ({ id: null } | RefundRow);

/** Throws REFUND_NOT_FOUND, FORBIDDEN when only another store has a refund with this name, or why the nonce was not spent. */
export async function readRefund(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
  refundId: string,
): Promise<RefundFacts> {
  const { key, nonce } = caller;
  const values = [key.id, nonce, merchantIdIn(refundId), key.storeId, key.environment];
  const { rows } = await pool.query<FoundRow>({ name: 'read-refund', text: READ_REFUND_SQL, values });
  const row = rows[0] as FoundRow;
  checkSpent(row, caller);
  if (row.id === null) throw noRefund(row);
  return refundFacts(row);
}

/** The error when the caller has no such refund. */
export const noRefund = ({ elsewhere }: { elsewhere: boolean }): ServiceError =>
  new ServiceError(elsewhere ? 'FORBIDDEN' : 'REFUND_NOT_FOUND', { param: 'refund_id' });

export const refundFacts = (row: RefundRow): RefundFacts => ({
  id: row.id,
  refundId: row.refund_id,
  sessionId: row.session_id,
  orderId: row.order_id,
  amount: BigInt(row.amount),
  currency: row.currency,
  network: row.network,
  status: row.status,
  reason: row.reason,
  description: row.description,
  metadata: row.metadata,
  createdAt: row.created_at,
  processedAt: row.processed_at,
  destination: row.destination,
  hold: row.hold,
  holdMessage: row.hold_message,
  holdUntil: row.hold_until,
  claimCiphertext: row.claim_ciphertext,
  failureReason: row.failure_reason,
  transactionHash: row.transaction_hash,
  receiptNumber: row.receipt_number,
  costCharged: row.cost_charged === null ? null : BigInt(row.cost_charged),
});
