// Ends the one hold that does not end automatically: an operator who has found the cause requests another check. The worker then continues
// as usual from the payment's attempts, the signer and the chain. If the cause still exists, the payment is put on hold again.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { tableOf } from '@/lib/refunds/rows';
import { FOR_OPERATOR } from './plan';

export type Recheck = {
  /** The service's own id of the refund or payout. */
  readonly refund: string;
  /** What the operator found out, for the audit log. */
  readonly note: string;
  readonly by: string;
  readonly address: string;
};

/** Throws REFUND_NOT_FOUND when no such refund or payout waits for an operator. */
export const recheck = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { refund, note, by, address }: Recheck,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const table = tableOf(refund);
    const { rows } = await tx.query<{ name: string; store_id: string }>({
      name: `${table}-look-again`,
      text: `UPDATE ${table} SET hold = NULL, hold_message = NULL, held_at = NULL, next_at = $3
             WHERE id = $1 AND hold = $2 AND status = 'processing'
             RETURNING ${table === 'refunds' ? 'refund_id' : 'payout_id'} AS name, store_id`,
      values: [refund, FOR_OPERATOR, now],
    });
    const [row] = rows;
    if (!row) throw new ServiceError('REFUND_NOT_FOUND', { message: 'No such refund waits for an operator.' });
    const of = { actor: by, address, storeId: row.store_id, target: row.name };
    await recordAudit(tx, {
      ...of,
      action: table === 'refunds' ? 'refund.look_again' : 'payout.look_again',
      details: { note },
      now,
    });
  });
