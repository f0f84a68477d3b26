// Cancels a payout until its signature is requested; its amount and costs are available to the store again.

import { releasePayout } from '@/lib/ledger/post-payout';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { markCanceled } from '@/lib/refunds/states';
import type { PayoutMaker } from './request';

/** False when it has ended or its signature was requested, or the store has no such payout; then nothing changes. */
export async function cancelPayout(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  maker: PayoutMaker,
  id: string,
): Promise<boolean> {
  const { storeId, environment } = maker;
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ payoutId: string }>({
      name: 'payout-lock',
      text: `SELECT payout_id AS "payoutId" FROM payouts WHERE id = $1 AND store_id = $2 AND environment = $3::"Environment" FOR UPDATE`,
      values: [id, storeId, environment],
    });
    const [row] = rows;
    return row !== undefined && cancelIn(tx, maker, { id, payoutId: row.payoutId }, clock.now());
  });
}

/** Cancels a payout whose row the transaction has locked. False when it has ended or its signature was requested. */
export async function cancelIn(
  tx: Tx,
  { record }: PayoutMaker,
  { id, payoutId }: { readonly id: string; readonly payoutId: string },
  canceledAt: Date,
): Promise<boolean> {
  if (!(await markCanceled(tx, { table: 'payouts', id }, canceledAt))) return false;
  await releasePayout(tx, { intentId: id });
  await record(tx, payoutId);
  return true;
}
