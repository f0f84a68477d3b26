// Releases what the creation of a refund reserved: the session's part, the day's amount and count, and the store's coins. Runs in the
// transaction that cancels or fails the refund, after `moveRefund` confirmed that this caller ended it.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { releaseRefund } from '@/lib/ledger/post-refund';
import { settleCost } from './costs';

/** The refund that ended without a payment. `amount` in cents. */
export type EndedRefund = {
  readonly id: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  /** The case of the payment that it sends back; null for a refund of what was paid. */
  readonly caseId: string | bigint | null;
  readonly amount: bigint;
  readonly network: string;
  /** What the network took for a transaction that is final and moved nothing. */
  readonly fee?: bigint | undefined;
};

/**
 * Releases everything once, however often it is called. For the refund of a case, it releases the reserved network cost and its place in
 * the day's count: the decision reserved its coins, and stays valid. No record shows that the day's count was released, so the caller must
 * call once.
 */
export async function releaseAmounts(tx: Tx, refund: EndedRefund): Promise<void> {
  await settleCost(tx, refund, refund.fee);
  if (refund.caseId !== null) {
    await tx.query({ ...UNCOUNT_CASE, values: [refund.id] });
    return;
  }
  await tx.query({ ...COUNTED, values: [refund.id, refund.sessionId, refund.amount] });
  await releaseRefund(tx, { intentId: refund.id });
}

// The ledger entry of the release that follows makes a second call a no-op. Locks the session before the day, as creating a refund does.
const COUNTED = {
  name: 'refund-uncount',
  text: `WITH session AS (
           UPDATE sessions SET amount_refunded = amount_refunded - $3
           WHERE id = $2 AND NOT EXISTS (SELECT FROM ledger_entries WHERE intent_id = $1 AND kind = 'refund_released')
           RETURNING 1)
         UPDATE refund_days d SET amount = d.amount - $3, count = greatest(d.count - 1, 0) FROM refunds r, session
         WHERE r.id = $1 AND d.store_id = r.store_id AND d.environment = r.environment AND d.day = r.day`,
};

const UNCOUNT_CASE = {
  name: 'case-refund-uncount',
  text: `UPDATE refund_days d SET count = greatest(d.count - 1, 0) FROM refunds r
         WHERE r.id = $1 AND d.store_id = r.store_id AND d.environment = r.environment AND d.day = r.day`,
};
