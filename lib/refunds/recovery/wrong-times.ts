// Payments whose next time a clock that ran ahead has written. Once the clock is right again, they would wait until that time comes, for
// example for a year. The worker makes them due.

import type { Context } from '@/lib/platform/context';
import { FOR_OPERATOR } from '@/lib/refunds/sending/plan';
import { PAYMENT_TABLES } from '@/lib/refunds/rows';

/** The longest pause of a hold on public networks is six hours: `mostHold` (intervals.ts) times the largest factor of sending-context.ts. */
const LONGEST_PAUSE = `interval '6 hours 1 minute'`;
/** No setting makes a payment wait longer before its signature (config.ts: REFUND_HOLD_SECONDS_LIVE). */
const LONGEST_WAIT = `interval '24 hours 1 minute'`;

/**
 * A step of the worker. A payment with a wrong `sign_after` gets its whole waiting period again. The end of the delay of a new address is
 * stored with a MAC and may be a month away, so it stays. Operators end the other hold that stays.
 */
export async function correctPaymentTimes({ pool, clock, config, log }: Context): Promise<{ more: boolean }> {
  const now = clock.now();
  const { REFUND_HOLD_SECONDS_LIVE: live, REFUND_HOLD_SECONDS_TEST: test } = config;
  for (const table of PAYMENT_TABLES) {
    const { rows } = await pool.query<{ id: string }>({
      name: `${table}-wrong-times`,
      text: `WITH wrong AS (
               SELECT id, CASE WHEN sign_after > $1::timestamptz + ${LONGEST_WAIT}
                 THEN $1::timestamptz + make_interval(secs => CASE environment WHEN 'live' THEN $2::int ELSE $3::int END)
                 ELSE sign_after END AS sign_after
               FROM ${table} WHERE status = 'processing' AND next_at > $1::timestamptz + ${LONGEST_PAUSE}
                 AND hold IS DISTINCT FROM '${FOR_OPERATOR}' AND hold IS DISTINCT FROM 'address_delay'
                 AND NOT sign_after BETWEEN $1::timestamptz AND $1::timestamptz + ${LONGEST_WAIT}
               FOR UPDATE SKIP LOCKED)
             UPDATE ${table} r SET sign_after = wrong.sign_after, next_at = greatest($1, wrong.sign_after)
             FROM wrong WHERE r.id = wrong.id RETURNING r.id`,
      values: [now, live, test],
    });
    if (rows.length > 0)
      log.error(
        { [table]: rows.map(({ id }) => id) },
        'a clock that ran ahead had delayed these payments: they are due now, or after their waiting period',
      );
  }
  return { more: false };
}
