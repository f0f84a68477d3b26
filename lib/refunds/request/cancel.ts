// Cancels a refund for its merchant. This is possible until its signature is requested. The same transaction releases its amount. It sends
// no event.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { releaseAmounts } from './release-amounts';
import { isElsewhere, noRefund } from '@/lib/refunds/read';
import { merchantIdIn } from '@/lib/platform/request-text';
import { markCanceled } from '@/lib/refunds/states';

/** Cancels and returns the time. Throws ServiceError: not found, another store's, or no longer cancelable. */
export async function cancelRefund(
  { pool, clock }: Context,
  caller: Caller,
  refundId: string,
): Promise<{ refundId: string; canceledAt: Date }> {
  const { key, nonce } = caller;
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<Row>({
      ...LOCK,
      values: [key.id, nonce, merchantIdIn(refundId), key.storeId, key.environment],
    });
    const row = rows[0] as Row;
    checkSpent(row, caller);
    if (row.id === null) throw noRefund(row);
    const canceledAt = clock.now();
    await cancelLocked(tx, row, { ...key, canceledAt });
    return { refundId: row.refund_id, canceledAt };
  });
}

/** A refund's row, locked. */
export type Found = {
  id: string;
  refund_id: string;
  session_id: string;
  case_id: string | null;
  amount: string;
  network: string;
};

/** Cancels a refund whose row the transaction has locked. Throws CANNOT_CANCEL_REFUND. */
export async function cancelLocked(
  tx: Tx,
  row: Found,
  { storeId, environment, canceledAt }: { storeId: string; environment: Environment; canceledAt: Date },
): Promise<void> {
  if (!(await markCanceled(tx, { table: 'refunds', id: row.id }, canceledAt)))
    throw new ServiceError('CANNOT_CANCEL_REFUND', { param: 'refund_id' });
  const { id, session_id: sessionId, case_id: caseId, amount, network } = row;
  await releaseAmounts(tx, { id, storeId, environment, sessionId, caseId, network, amount: BigInt(amount) });
}

type Row = SpentRow & { elsewhere: boolean } & (Found | { id: null });

const LOCK = {
  name: 'lock-refund',
  text: `WITH ${SPEND_NONCE},
           own AS MATERIALIZED (SELECT id, refund_id, session_id, case_id, amount, network FROM refunds
             WHERE refund_id = $3 AND store_id = $4 AND environment = $5::"Environment" FOR UPDATE)
         SELECT ${SPENT_COLUMNS}, ${isElsewhere('$3', '$4', '$5')} AS elsewhere, own.*
         FROM (VALUES (1)) AS one LEFT JOIN own ON true`,
};
