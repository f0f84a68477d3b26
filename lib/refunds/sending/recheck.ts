// Ends the one hold that does not end automatically: an operator who has found the cause requests another check. The worker then continues
// as usual from the refund's attempts, the signer and the chain. If the cause still exists, the refund is put on hold again.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { FOR_OPERATOR } from './plan';

export type Recheck = {
  /** The service's own id. */
  readonly refund: string;
  /** What the operator found out, for the audit log. */
  readonly note: string;
  readonly by: string;
  readonly address: string;
};

/** Throws REFUND_NOT_FOUND when no such refund waits for an operator. */
export const recheck = (
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { refund, note, by, address }: Recheck,
): Promise<void> =>
  transaction(pool, async (tx) => {
    const now = clock.now();
    const { rows } = await tx.query<{ refund_id: string; store_id: string }>({
      name: 'refund-look-again',
      text: `UPDATE refunds SET hold = NULL, hold_message = NULL, held_at = NULL, next_at = $3
             WHERE id = $1 AND hold = $2 AND status = 'processing' RETURNING refund_id, store_id`,
      values: [refund, FOR_OPERATOR, now],
    });
    const [row] = rows;
    if (!row) throw new ServiceError('REFUND_NOT_FOUND', { message: 'No such refund waits for an operator.' });
    const of = { actor: by, address, storeId: row.store_id, target: row.refund_id };
    await recordAudit(tx, { ...of, action: 'refund.look_again', details: { note }, now });
  });
