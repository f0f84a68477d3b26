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
 * A clock that is behind takes every correct time for a wrong one, and would give the payments a `sign_after` in the past. So the latest of
 * three clocks counts: this machine's, the database's, and the time of the newest final block, which no clock of ours gives.
 */
const LATEST = `SELECT greatest($1::timestamptz, now(), (SELECT max(final_time) FROM chains WHERE retired_at IS NULL)) AS at`;

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
      text: `WITH latest AS (${LATEST}), wrong AS (
               SELECT id, CASE WHEN sign_after > latest.at + ${LONGEST_WAIT}
                 THEN latest.at + make_interval(secs => CASE environment WHEN 'live' THEN $2::int ELSE $3::int END)
                 ELSE sign_after END AS sign_after
               FROM ${table} p, latest WHERE status = 'processing' AND next_at > latest.at + ${LONGEST_PAUSE}
                 AND hold IS DISTINCT FROM '${FOR_OPERATOR}' AND hold IS DISTINCT FROM 'address_delay'
                 AND NOT sign_after BETWEEN latest.at AND latest.at + ${LONGEST_WAIT}
               FOR UPDATE OF p SKIP LOCKED)
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
