// Limits the number of refunds. Each refund costs a network fee whatever its amount, so refunding a payment in a thousand parts would cost
// more than the payment.

import type { Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { refundDay, secondsToMidnight } from './rules';

/** Enough for an order of fifty items, each returned separately. */
export const MAX_PER_SESSION = 50;
/** Per store, environment and UTC day. */
export const MAX_PER_DAY = 1000;

/** The caller holds the lock of the session's row. Refunds that ended without a payment do not count. Throws RATE_LIMITED. */
export async function checkSessionCount(tx: Tx, sessionId: string, now: Date): Promise<void> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'refunds-of-session',
    text: `SELECT count(*)::int AS count FROM refunds WHERE session_id = $1 AND case_id IS NULL 
             AND status NOT IN ('canceled', 'failed')`,
    values: [sessionId],
  });
  if ((rows[0]?.count ?? 0) < MAX_PER_SESSION) return;
  throw new ServiceError('RATE_LIMITED', {
    param: 'session_id',
    retryAfter: secondsToMidnight(now),
    message: `The session has ${MAX_PER_SESSION} refunds, which is the most that one may have. Waiting makes no room: only a refund that is canceled or fails does.`,
  });
}

/** Throws RATE_LIMITED when the store has made the day's number of refunds. The statement that inserts a refund counts it. */
export async function checkDayCount(
  tx: Tx,
  { storeId, environment }: { readonly storeId: string; readonly environment: Environment },
  now: Date,
): Promise<void> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'refunds-of-day',
    text: 'SELECT count FROM refund_days WHERE store_id = $1 AND environment = $2::"Environment" AND day = $3::date',
    values: [storeId, environment, refundDay(now)],
  });
  if ((rows[0]?.count ?? 0) < MAX_PER_DAY) return;
  throw new ServiceError('RATE_LIMITED', {
    param: 'refund_id',
    retryAfter: secondsToMidnight(now),
    message: `The store has made ${MAX_PER_DAY} refunds today, which is the most of a UTC day. Try again after midnight UTC.`,
  });
}
