// Ends the one hold that does not end automatically: an operator who has found the cause requests another check. The worker then continues
// as usual from the payment's attempts, the signer and the chain. If the cause still exists, the payment is put on hold again.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { tableOf, type PaymentTable } from '@/lib/refunds/rows';
import { FOR_OPERATOR } from './plan';

export type Recheck = {
  /** The service's own id of the refund, payout or cold transfer. */
  readonly refund: string;
  /** What the operator found out, for the audit log. */
  readonly note: string;
  readonly by: string;
  readonly address: string;
};

/** How the audit log names a payment: a cold transfer belongs to no store and has no name of its own. */
const NAMES: Readonly<Record<PaymentTable, { readonly columns: string; readonly action: string }>> = {
  refunds: { columns: 'refund_id AS name, store_id', action: 'refund.look_again' },
  payouts: { columns: 'payout_id AS name, store_id', action: 'payout.look_again' },
  cold_transfers: { columns: 'id AS name, NULL::text AS store_id', action: 'cold_transfer.look_again' },
};

/** Throws REFUND_NOT_FOUND when no such payment waits for an operator. */
export const recheck = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { refund, note, by, address }: Recheck,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const table = tableOf(refund);
    const { columns, action } = NAMES[table];
    const { rows } = await tx.query<{ name: string; store_id: string | null }>({
      name: `${table}-look-again`,
      text: `UPDATE ${table} SET hold = NULL, hold_message = NULL, held_at = NULL, next_at = $3
             WHERE id = $1 AND hold = $2 AND status = 'processing'
             RETURNING ${columns}`,
      values: [refund, FOR_OPERATOR, now],
    });
    const [row] = rows;
    if (!row) throw new ServiceError('REFUND_NOT_FOUND', { message: 'No such refund waits for an operator.' });
    const of = { actor: by, address, storeId: row.store_id, target: row.name };
    await recordAudit(tx, { ...of, action, details: { note }, now });
  });
