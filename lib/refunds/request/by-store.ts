// Refunds that a store's members make and cancel in the dashboard: the same use cases as behind the signed API, without a key and a nonce.
// The caller has checked the member's permission; the action is recorded in the same transaction.

import { isStoreOpen } from '@/lib/merchants/stores/store-status';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import type { StoreStatus } from '@/prisma/generated/enums';
import { cancelLocked, type Found } from './cancel';
import { createRefundFor, type RefundMaker } from './create';
import { LOCK_OWN_SESSION_SQL, type LockedRow } from './statement';
import { merchantIdIn } from '@/lib/platform/request-text';
import type { CreateRefundRequest } from './schema';
import { createSplit } from './split';
import type { RefundFacts } from '@/lib/refunds/view';

/** The store whose refunds these are, and how to record who acted. */
export type StoreSide = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly record: (tx: Tx, refundId: string) => Promise<void>;
};

/**
 * Creates the refund, or returns the one that the same request made before. Throws the errors of `createRefund`, and store_not_active
 * when the store may not do business.
 */
export const createRefundByStore = (
  context: Context,
  side: StoreSide,
  request: CreateRefundRequest,
): Promise<RefundFacts> => createRefundFor(context, makerOf(side), request);

/** Creates one refund for each payer of the session (lib/refunds/request/split). Throws as `createRefundByStore` and `createSplit` do. */
export const createSplitByStore = (
  context: Context,
  side: StoreSide,
  request: CreateRefundRequest,
): Promise<readonly RefundFacts[]> => createSplit(context, makerOf(side), request);

const makerOf = ({ storeId, environment, record }: StoreSide): RefundMaker => ({
  storeId,
  environment,
  lock: async (tx, sessionId) => {
    const { rows } = await tx.query<LockedRow & { store_status: StoreStatus }>({
      name: 'refund-lock-own-session',
      text: LOCK_OWN_SESSION_SQL,
      values: [sessionId, storeId, environment],
    });
    const [locked] = rows;
    if (!locked) throw new ServiceError('STORE_NOT_FOUND');
    if (!isStoreOpen(locked.store_status, environment)) throw new ServiceError('store_not_active');
    return locked;
  },
  record: (tx, refund) => record(tx, refund.refundId),
});

/** Cancels a refund of the store. Throws REFUND_NOT_FOUND or CANNOT_CANCEL_REFUND. */
export async function cancelRefundByStore(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { storeId, environment, record }: StoreSide,
  refundId: string,
): Promise<{ refundId: string; canceledAt: Date }> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<Found>({
      name: 'lock-own-refund',
      text: `SELECT id, refund_id, session_id, case_id, amount, network FROM refunds
             WHERE refund_id = $1 AND store_id = $2 AND environment = $3::"Environment" FOR UPDATE`,
      values: [merchantIdIn(refundId), storeId, environment],
    });
    const [row] = rows;
    if (!row) throw new ServiceError('REFUND_NOT_FOUND', { param: 'refund_id' });
    const canceledAt = clock.now();
    await cancelLocked(tx, row, { storeId, environment, canceledAt });
    await record(tx, row.refund_id);
    return { refundId: row.refund_id, canceledAt };
  });
}
