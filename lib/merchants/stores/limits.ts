// The operator's limits of a store: the amounts of one session and one day, of refunds, and the hold of payouts. Amounts are cents.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { auditStore, type Actor } from './actor';

/** Null: the store has no limit of its own. */
export type StoreLimits = {
  readonly sessionLimit: bigint | null;
  readonly dayLimit: bigint | null;
  readonly refundDayLimit: bigint;
  readonly refundWindowDays: number;
  /** How long a payment waits until it can be paid out. */
  readonly payoutHoldHours: number;
};

/** Sets all limits at once. Throws STORE_CHANGED when the store's version is not the one that was shown. */
export async function setStoreLimits(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  of: { storeId: string; version: number; limits: StoreLimits },
  actor: Actor,
): Promise<{ version: number }> {
  const { storeId, version, limits } = of;
  return transaction(pool, async (tx) => {
    const prisma = await prismaOn(tx);
    const where = { id: storeId, version };
    const former = await prisma.store.findUnique({ where, select: LIMITS });
    const { count } = await prisma.store.updateMany({ where, data: { ...limits, version: { increment: 1 } } });
    // Every change of the limits increments the version, so the former ones are those of this version.
    if (!former || count !== 1) throw new ServiceError('STORE_CHANGED');
    if (limits.dayLimit !== null) await countDay(tx, storeId, clock.now());
    const details = { from: auditLimits(former), to: auditLimits(limits) };
    await auditStore(tx, actor, { storeId, action: 'store.limits', target: storeId, details, now: clock.now() });
    return { version: version + 1 };
  });
}

const LIMITS = {
  ...{ sessionLimit: true, dayLimit: true, refundDayLimit: true, refundWindowDays: true },
  payoutHoldHours: true,
} as const;

const auditLimits = ({ sessionLimit, dayLimit, refundDayLimit, refundWindowDays, payoutHoldHours }: StoreLimits) => ({
  session: sessionLimit?.toString() ?? null,
  day: dayLimit?.toString() ?? null,
  refund: refundDayLimit.toString(),
  window: refundWindowDays,
  payout_hold: payoutHoldHours,
});

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
