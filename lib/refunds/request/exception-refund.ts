// Creates the refund of a payment that did not count, after an operator, a merchant or a rule decided to send it back. The transaction of
// the decision reserves the amount. The refund uses no part of the session's price or of the daily amount. It counts towards the store's
// daily number of refunds, but is not rejected above it, because the customer is owed the payment. Its name derives from the transfer on
// the chain, so a database that was restored from a backup gives the same refund the same name.

import { sha256 } from '@/lib/platform/crypto';
import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { ServiceError } from '@/lib/platform/errors/errors';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { intentIdOf, transferDigest, type ChainTransfer } from './intent';
import { refundDay } from './rules';

/** The case that was decided, with the asset of its transfer. */
export type RefundedCase = ChainTransfer & {
  readonly caseId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly orderId: string;
  readonly network: string;
  readonly currency: string;
  /** Base units of a token with `decimals`. */
  readonly amount: bigint;
  readonly decimals: number;
};

/** A merchant may have used such a name for another refund. The next number is tried then, up to this many. */
export const MAX_NAMES = 100;

/** Amounts of refunds are JSON integers of cents. */
const MOST_CENTS = BigInt(Number.MAX_SAFE_INTEGER);

/** The refund_id of the `number`th refund of a transfer. */
export const caseRefundId = (transfer: ChainTransfer, number: number): string => {
  const name = `exception_${transferDigest(transfer)}`;
  return number === 1 ? name : `${name}_${number}`;
};

const TOO_LARGE =
  'This payment is too large for one refund. Leave it open, and ask the operator to send it back by hand.';

/**
 * Makes the pending refund of a case, over its whole cents rounded down, unless one is pending or has arrived. After a refund that failed
 * or was canceled, the next one gets the next name. Returns its refund_id; null when there is none to make. The caller holds the
 * lock of the case's session, so two callers never make it at once. Throws INVALID_PARAMETER for an amount that no refund can hold.
 */
export async function openCaseRefund(tx: Tx, found: RefundedCase, now: Date): Promise<string | null> {
  const cents = baseUnitsToCents(found.amount, found.decimals);
  if (cents === 0n) return null;
  if (cents > MOST_CENTS) throw new ServiceError('INVALID_PARAMETER', { param: 'action', message: TOO_LARGE });
  const { rows } = await tx.query<{ live: boolean; made: number }>({
    name: 'case-refunds',
    text: `SELECT coalesce(bool_or(status NOT IN ('failed', 'canceled')), false) AS live, count(*)::int AS made
           FROM refunds WHERE session_id = $1 AND case_id = $2`,
    values: [found.sessionId, found.caseId],
  });
  const { live, made } = rows[0] as { live: boolean; made: number };
  if (live) return null;
  for (let number = made + 1; number <= made + MAX_NAMES; number++) {
    const refundId = caseRefundId(found, number);
    if (await insert(tx, { found, cents, refundId, now })) return refundId;
  }
  throw new Error(`${MAX_NAMES} names for a refund of case ${found.caseId} are taken`);
}

type Made = {
  readonly found: RefundedCase;
  readonly cents: bigint;
  readonly refundId: string;
  readonly now: Date;
};

/** False when the name is taken. */
async function insert(tx: Tx, { found, cents, refundId, now }: Made): Promise<boolean> {
  const { storeId, environment } = found;
  const values = [
    intentIdOf({ storeId, environment, refundId }),
    storeId,
    environment,
    refundId,
    found.sessionId,
    found.orderId,
    found.caseId,
    cents,
    found.currency,
    found.network,
    // No merchant request has this hash, so none is treated as a repetition of this refund.
    sha256(`case ${found.caseId}`),
    refundDay(now),
    now,
  ];
  const { rowCount } = await tx.query({ ...INSERT, values });
  return rowCount === 1;
}

const INSERT = {
  name: 'case-refund-insert',
  text: `WITH made AS (
           INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, case_id, amount, currency, network,
             request_hash, day, created_at)
           VALUES ($1, $2, $3::"Environment", $4, $5, $6, $7, $8, $9, $10, $11, $12::date, $13)
           ON CONFLICT (store_id, environment, refund_id) DO NOTHING RETURNING id, status),
         day AS (
           INSERT INTO refund_days AS d (store_id, environment, day, amount, count)
           SELECT $2, $3::"Environment", $12::date, 0, 1 FROM made
           ON CONFLICT (store_id, environment, day) DO UPDATE SET count = d.count + 1)
         INSERT INTO refund_status_changes (intent_id, move, "to", at) SELECT id, 'create', status, $13 FROM made RETURNING id`,
};
