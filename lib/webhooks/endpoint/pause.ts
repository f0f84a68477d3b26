// Pauses and resumes an endpoint. The service pauses an endpoint that keeps failing (write-outcomes); a merchant may
// pause one at any time. Deliveries wait while it is paused and keep their remaining attempts. Every pause is stored,
// with the user who ended it.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Endpoint } from '@/lib/webhooks/delivery/lease';
import { DELIVERIES_CHANNEL } from '@/lib/webhooks/events/record';

type Deps = Pick<Context, 'pool'>;
/**
 * `by`: the dashboard user who made the request. `record` stores it in the same transaction, if the change was made.
 */
type Asked = Endpoint & { readonly by: string; readonly record?: (tx: Tx, replayed: number) => Promise<void> };

/** A replay is spread over time, so that a receiver that has just recovered is not overloaded. */
const REPLAYED_PER_SECOND = 50;
/** Deliveries moved per statement: well below a second of work. */
const MOVED_AT_ONCE = 5000;

/** Pauses an endpoint. False when it does not exist or is paused already. */
export const pauseEndpoint = ({ pool }: Deps, { storeId, environment, by, record }: Asked): Promise<boolean> =>
  transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `WITH paused AS (
         UPDATE webhook_endpoints SET paused_at = now()
         WHERE store_id = $1 AND environment = $2 AND paused_at IS NULL RETURNING paused_at)
       INSERT INTO webhook_pauses (store_id, environment, reason, paused_at, paused_by)
       SELECT $1, $2, 'requested', paused_at, $3 FROM paused`,
      [storeId, environment, by],
    );
    if (rowCount === 1) await record?.(tx, 0);
    return rowCount === 1;
  });

/**
 * Resumes a paused endpoint. Waiting deliveries are sent in order, 50 a second; new events do not queue behind them.
 * Returns the number of waiting deliveries, or null when the endpoint is not paused. If interrupted, the endpoint stays
 * paused, and another call continues.
 */
export async function resumeEndpoint(
  { pool }: Deps,
  { storeId, environment, by, record }: Asked,
): Promise<{ replayed: number } | null> {
  const { rows } = await pool.query<{ now: string }>(
    `SELECT now()::text AS now FROM webhook_endpoints WHERE store_id = $1 AND environment = $2 AND paused_at IS NOT NULL`,
    [storeId, environment],
  );
  if (!rows[0]) return null;
  const replayed = await spread({ pool }, { storeId, environment }, rows[0].now);
  const isMine = await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE webhook_endpoints SET paused_at = NULL, failed_in_a_row = 0, gone_in_a_row = 0, failing_since = NULL
       WHERE store_id = $1 AND environment = $2 AND paused_at IS NOT NULL`,
      [storeId, environment],
    );
    await tx.query(
      `UPDATE webhook_pauses SET resumed_at = now(), resumed_by = $3, replayed = $4
       WHERE store_id = $1 AND environment = $2 AND resumed_at IS NULL`,
      [storeId, environment, by, replayed],
    );
    await tx.query(`SELECT pg_notify('${DELIVERIES_CHANNEL}', '')`);
    if (rowCount === 1) await record?.(tx, replayed);
    return rowCount === 1;
  });
  return isMine ? { replayed } : null;
}

/**
 * Gives every delivery that was due by `now` a time of its own. That time is after `now`, so each iteration takes the
 * rest.
 */
async function spread({ pool }: Deps, { storeId, environment }: Endpoint, now: string): Promise<number> {
  let moved = 0;
  for (;;) {
    const { rowCount } = await pool.query({
      name: 'spread-deliveries',
      text: `UPDATE deliveries d SET next_at = now() + make_interval(secs => ($4 + waiting.turn)::float8 / ${REPLAYED_PER_SECOND})
             FROM (SELECT id, row_number() OVER (ORDER BY next_at, id) AS turn FROM (
               SELECT id, next_at FROM deliveries
               WHERE status = 'pending' AND store_id = $1 AND environment = $2 AND next_at <= $3::timestamptz
               ORDER BY next_at, id LIMIT ${MOVED_AT_ONCE}) few) waiting
             WHERE d.id = waiting.id AND d.status = 'pending'`,
      values: [storeId, environment, now, moved],
    });
    moved += rowCount ?? 0;
    if ((rowCount ?? 0) < MOVED_AT_ONCE) return moved;
  }
}
