// Cancels a refund for its merchant: until the signer is asked, and never after (hardening INV-5; decisions: Refunds). Its
// amount is free again in the same transaction. No event tells of it.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller } from '@/lib/auth/nonces';
import type { Context } from '@/lib/context';
import { transaction } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import { giveBack } from './give-back';
import { isElsewhere, noRefund } from './read';
import { refundIdIn } from './schema';
import { moveRefund } from './states';

/** Cancels and answers when. Throws ServiceError: not found, another store's, or it can no longer be canceled. */
export async function cancelRefund(
  { pool, clock }: Context,
  { key, nonce }: Caller,
  refundId: string,
): Promise<{ refundId: string; canceledAt: Date }> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<Row>({
      ...LOCK,
      values: [key.id, nonce, refundIdIn(refundId), key.storeId, key.environment],
    });
    const row = rows[0] as Row;
    checkSpent(row);
    if (row.id === null) throw noRefund(row);
    const canceledAt = clock.now();
    if (!(await moveRefund(tx, row.id, 'cancel', { at: canceledAt })))
      throw new ServiceError('CANNOT_CANCEL_REFUND', { param: 'refund_id' });
    await giveBack(tx, {
      id: row.id,
      storeId: key.storeId,
      environment: key.environment,
      sessionId: row.session_id,
      caseId: row.case_id,
      amount: BigInt(row.amount),
    });
    return { refundId: row.refund_id, canceledAt };
  });
}

type Found = { id: string; refund_id: string; session_id: string; case_id: string | null; amount: string };
type Row = { alive: boolean; spent: boolean; elsewhere: boolean } & (Found | { id: null });

const LOCK = {
  name: 'lock-refund',
  text: `WITH ${SPEND_NONCE},
           own AS MATERIALIZED (SELECT id, refund_id, session_id, case_id, amount FROM refunds
             WHERE refund_id = $3 AND store_id = $4 AND environment = $5::"Environment" FOR UPDATE)
         SELECT ${SPENT_COLUMNS}, ${isElsewhere('$3', '$4', '$5')} AS elsewhere, own.*
         FROM (VALUES (1)) AS one LEFT JOIN own ON true`,
};
