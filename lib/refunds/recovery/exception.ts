// The payment that a recovered refund sends back: found by its transfer on the chain, and decided again as it was before the database was
// restored. The number of its case means nothing in a restored database.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { postMoves } from '@/lib/ledger/post';
import { moveException } from '@/lib/payments/exceptions/states';
import { baseUnitsToCents } from '@/lib/money/amounts';
import type { JournalIntent } from '@/lib/signer/client';
import type { ExceptionState, SessionStatus } from '@/prisma/generated/enums';
import { intentIdOf } from '@/lib/refunds/request/intent';
import { caseRefundId, MAX_NAMES } from '@/lib/refunds/request/exception-refund';
import { isOrderOf } from './facts';

type Order = JournalIntent['order'];

/** `refundId`: the refund's former name; null if it was none of the names that refunds of exceptions get. */
export type Refunded = Row & { readonly refundId: string | null };

/** The payment that an order sends back, with its session locked; null if this database does not have it. */
export async function findRefunded(tx: Tx, order: Order): Promise<Refunded | null> {
  const { rows } = await tx.query<Row>(
    // The digest must match transferDigest.
    `SELECT c.id AS "caseId", c.state, c.amount, c.counted, s.id AS "sessionId", s.store_id AS "storeId",
       s.environment, s.order_id AS "orderId", s.status, t.id AS "transferId", t.network, t.currency, t.decimals,
       t.transaction_hash AS "transactionHash", t.ordinal, ch.genesis
     FROM transfers t JOIN chains ch ON ch.id = t.chain_id JOIN sessions s ON s.id = t.session_id
       JOIN payment_exceptions c ON c.transfer_id = t.id
     WHERE s.environment = $1::"Environment" AND t.network = $2 AND t.currency = $3
       AND (concat_ws('/', t.network, t.transaction_hash, t.ordinal) = $4
         OR 'transfer:' || left(encode(sha256(convert_to(
              concat('["', ch.genesis, '","', t.transaction_hash, '",', t.ordinal, ']'), 'UTF8')), 'hex'), 40) = $5)
     FOR UPDATE OF s`,
    [order.environment, order.network, order.currency, order.evidence.reference, order.evidence.session],
  );
  const row = rows.find((one) => isOrderOf(order, one));
  return row ? { ...row, refundId: nameOf(order, row) } : null;
}

/** Owes the payment to its sender again. Returns why that is impossible, or null. */
export async function decideAgain(
  tx: Tx,
  found: Refunded,
  { cents, now }: { readonly cents: bigint; readonly now: Date },
): Promise<string | null> {
  const amount = BigInt(found.amount) - BigInt(found.counted);
  if (baseUnitsToCents(amount, found.decimals) < cents) return 'it sends back more than is left of its payment';
  const { rowCount } = await tx.query(
    `SELECT 1 FROM refunds WHERE case_id = $1 AND status NOT IN ('failed', 'canceled')`,
    [found.caseId],
  );
  if (rowCount !== 0) return 'its payment is sent back by another refund in this database';
  if (found.state !== 'refund') {
    const isFree = found.state !== 'kept' && (found.state !== 'accepted' || found.status !== 'completed');
    if (!isFree) return 'its payment was counted or kept in this database';
    const decision = { caseId: found.caseId, action: 'refund', by: 'rule:recovered', at: now } as const;
    if (!(await moveException(tx, decision))) throw new Error(`exception ${found.caseId} was decided meanwhile`);
  }
  await postMoves(tx, [{ ...found, amount, kind: 'refund_owed' }]);
  return null;
}

/** The name that the intent was derived from. */
function nameOf({ intentId, environment, evidence }: Order, found: Row): string | null {
  const [, number] = /^case:([0-9]+)$/.exec(evidence.session) ?? [];
  const first = number === undefined ? caseRefundId(found, 1) : `case_${number}`;
  const names = Array.from({ length: MAX_NAMES }, (_, index) => (index === 0 ? first : `${first}_${index + 1}`));
  return names.find((refundId) => intentIdOf({ storeId: found.storeId, environment, refundId }) === intentId) ?? null;
}

type Row = {
  readonly caseId: string;
  readonly state: ExceptionState;
  readonly amount: string;
  readonly counted: string;
  readonly sessionId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly orderId: string;
  readonly status: SessionStatus;
  readonly transferId: string;
  readonly network: string;
  readonly currency: string;
  readonly decimals: number;
  readonly transactionHash: string;
  readonly ordinal: number;
  readonly genesis: string;
};
