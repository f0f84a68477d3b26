// The operator's limits of a store: the amounts of one session and one day, and of refunds. Amounts are cents.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { auditStore, type Actor } from './actor';

/** Null: the store has no limit of its own. */
export type StoreLimits = {
  readonly sessionLimit: bigint | null;
  readonly dayLimit: bigint | null;
  readonly refundDayLimit: bigint;
  readonly refundWindowDays: number;
};

/** Sets all four limits at once. Throws STORE_CHANGED when the store's version is not the one that was shown. */
export async function setStoreLimits(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  of: { storeId: string; version: number; limits: StoreLimits },
  actor: Actor,
): Promise<{ version: number }> {
  const { storeId, version, limits } = of;
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ session: string | null; day: string | null; refund: string; window: number }>(
      `SELECT session_limit AS session, day_limit AS day, refund_day_limit AS refund, refund_window_days AS window
       FROM stores WHERE id = $1 AND version = $2 FOR UPDATE`,
      [storeId, version],
    );
    const [former] = rows;
    if (!former) throw new ServiceError('STORE_CHANGED');
    await tx.query(
      `UPDATE stores SET session_limit = $2, day_limit = $3, refund_day_limit = $4, refund_window_days = $5,
                         version = version + 1 WHERE id = $1`,
      [storeId, limits.sessionLimit, limits.dayLimit, limits.refundDayLimit, limits.refundWindowDays],
    );
    if (limits.dayLimit !== null) await countDay(tx, storeId, clock.now());
    const details = {
      from: { ...former },
      to: {
        session: limits.sessionLimit?.toString() ?? null,
        day: limits.dayLimit?.toString() ?? null,
        refund: limits.refundDayLimit.toString(),
        window: limits.refundWindowDays,
      },
    };
    await auditStore(tx, actor, { storeId, action: 'store.limits', target: storeId, details, now: clock.now() });
    return { version: version + 1 };
  });
}

/** Counts today's paid and pending sessions. From here on, each session that is created or ends updates the count. */
async function countDay(tx: Tx, storeId: string, now: Date): Promise<void> {
  await tx.query(
    `INSERT INTO session_days (store_id, environment, day, budget, amount)
     SELECT $1, e.environment, ($2::timestamptz AT TIME ZONE 'UTC')::date, b.budget,
       (SELECT coalesce(sum(amount_due), 0) FROM sessions s WHERE s.store_id = $1 AND s.environment = e.environment
          AND s.created_at >= date_trunc('day', $2::timestamptz AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
          AND s.budget = b.budget AND s.status IN ('pending', 'completed'))
     FROM unnest(enum_range(NULL::"Environment")) AS e (environment), unnest(enum_range(NULL::"SessionBudget")) AS b (budget)
     ON CONFLICT (store_id, environment, day, budget) DO UPDATE SET amount = excluded.amount`,
    [storeId, now],
  );
}
