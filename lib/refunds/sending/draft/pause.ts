// Whether an operator has paused the payments of a kind on a network (lib/dashboard/operator/treasury/pause-payments). What waits keeps its
// row and its reserve, and goes on when the pause ends. What the signer has signed is sent: nothing can take it back.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Hold } from '@/lib/refunds/sending/lease';
import type { PaymentTable } from '@/lib/refunds/rows';
import { holdOf, type Work } from '@/lib/refunds/sending/sending-context';

type Paying = { readonly table: PaymentTable; readonly environment: Environment; readonly network: string };

/** `db`: a transaction, right before the signature is requested; a pause that was stored before counts. */
export const pauseHold = async (db: Db, { payment, sending }: Work): Promise<Hold | null> =>
  (await isPaused(db, { table: payment.table, environment: sending.environment, network: sending.network }))
    ? holdOf('paused')
    : null;

export async function isPaused(db: Db, { table, environment, network }: Paying): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'payments-paused',
    text: `SELECT 1 FROM payment_pauses WHERE environment = $1::"Environment" AND network = $2 AND kind = $3`,
    values: [environment, network, table],
  });
  return rowCount !== 0;
}
