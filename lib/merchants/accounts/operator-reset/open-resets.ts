// The open resets of operators' sign-ins: who sees them and stops them. `reset.ts` requests and completes them.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Pool } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';

export type OpenReset = {
  readonly id: string;
  readonly email: string;
  readonly requestedAt: Date;
  readonly readyAt: Date;
  readonly lapsesAt: Date;
};

/** Those that an operator can still cancel. */
export async function readOpenResets(db: Db, now: Date): Promise<readonly OpenReset[]> {
  const { rows } = await db.query<OpenReset>({
    name: 'operator-resets-open',
    text: `SELECT r.id, u.email, r.requested_at AS "requestedAt", r.ready_at AS "readyAt", r.lapses_at AS "lapsesAt"
           FROM operator_resets r JOIN users u ON u.id = r.user_id
           WHERE r.canceled_at IS NULL AND r.completed_at IS NULL AND r.lapses_at > $1 ORDER BY r.requested_at, r.id`,
    values: [now],
  });
  return rows;
}

type Canceling = { readonly id: string; readonly by: string; readonly address: string };

/** An operator's decision in the console. Throws NOT_FOUND when it is not open any more. */
export async function cancelReset({ pool, clock }: Pick<Context, 'pool' | 'clock'>, given: Canceling): Promise<void> {
  const isCanceled = /^[0-9a-f-]{36}$/.test(given.id) && (await cancel(pool, { id: given.id }, given, clock.now()));
  if (!isCanceled) throw new ServiceError('NOT_FOUND', { message: 'This reset has ended already.' });
}

/** The same at the server. False when none is open. */
export const cancelResetOf = (
  pool: Pool,
  { email, now }: { readonly email: string; readonly now: Date },
): Promise<boolean> => cancel(pool, { email }, { by: 'server', address: '' }, now);

function cancel(
  pool: Pool,
  { id = null, email = null }: { readonly id?: string | null; readonly email?: string | null },
  { by, address }: Omit<Canceling, 'id'>,
  now: Date,
): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ user_id: string }>({
      name: 'operator-reset-cancel',
      text: `UPDATE operator_resets SET canceled_at = $3, canceled_by = $4
             WHERE (id = $1::uuid OR user_id = (SELECT u.id FROM users u WHERE u.email = $2))
               AND canceled_at IS NULL AND completed_at IS NULL RETURNING user_id`,
      values: [id, email, now, by],
    });
    const [row] = rows;
    if (!row) return false;
    const action = 'operator_reset.cancel';
    await recordAudit(tx, { actor: by, storeId: null, action, target: row.user_id, address, now });
    return true;
  });
}
