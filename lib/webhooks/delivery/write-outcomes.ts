// The statement that stores outcomes together with their consequences: the delivery's next time or its end, the slow
// lane if the store chose it, the endpoint's hour in the chart, and whether the endpoint is paused.

import type { Context } from '@/lib/platform/context';
import { BUCKET_MILLISECONDS } from '@/lib/webhooks/endpoint/chart-buckets';
import { moveSql } from '@/lib/platform/database/moves';
import { isRetried, next, SLOW_SECONDS, type Lane, type Next, type Outcome } from './schedule';
import { DELIVERIES, type DeliveryMove } from './states';

/** An ended attempt. `endedAt` is the time from which its retry counts. */
export type Ended = {
  readonly id: string;
  readonly epoch: number;
  readonly attempts: number;
  readonly lane: Lane;
  readonly outcome: Outcome;
  readonly endedAt: Date;
  readonly milliseconds: number;
  /** The sent headers with truncated signatures; null when nothing was sent. */
  readonly headers: Readonly<Record<string, string>> | null;
};

/** An endpoint is paused after this many consecutive failed events, the first of them this long ago. */
const FAILED_IN_A_ROW = 50;
const FAILING_HOURS = 24;
/**
 * A receiver that returns 410 "gone" to this many consecutive events is paused at once. A single 410 concerns only its
 * event, which the contract does not retry.
 */
const GONE_IN_A_ROW = 5;

const WRITTEN = moveSql(DELIVERIES, {
  deliver: `o.move = 'deliver'`,
  fail: `o.move = 'fail'`,
  retry: `o.move = 'retry'`,
});
const NEEDLESS = moveSql(DELIVERIES, 'fail');

/**
 * If several outcomes of one endpoint are stored together, one success ends every run of failures. Slow-lane attempts
 * count in no run: their event was counted when its retries had failed. A resent delivery that arrives ends the run.
 * All processes lock rows in one order.
 */
const WRITE = {
  name: 'write-outcomes',
  text: `
    WITH outcome AS (
      SELECT * FROM unnest($1::bigint[], $2::int[], $3::text[], $4::float8[], $5::int[], $6::text[], $7::text[],
                           $8::int[], $9::jsonb[], $10::boolean[])
        AS o(id, epoch, move, retry_after, status_code, error, answer, duration_ms, headers, may_go_on)),
    written AS (
      UPDATE deliveries d SET
        status = ${WRITTEN.to},
        next_at = CASE WHEN o.move = 'retry' THEN now() + make_interval(secs => o.retry_after) ELSE d.next_at END,
        finished_at = CASE WHEN o.move <> 'retry' THEN now() END,
        -- Members are mailed when no further attempt follows. Who sends an event again watches it themselves.
        is_untold = o.move = 'fail' AND d.lane <> 'resent' AND NOT (o.may_go_on AND d.lane <> 'slow' AND EXISTS (
          SELECT FROM webhook_endpoints e WHERE e.store_id = d.store_id AND e.environment = d.environment AND e.slow_lane))
      FROM outcome o WHERE d.id = o.id AND d.epoch = o.epoch AND ${WRITTEN.isFrom}
      RETURNING d.id, d.attempts, d.event_id, d.store_id, d.environment, d.lane, d.status, o.status_code, o.error,
                o.answer, o.duration_ms, o.headers, o.may_go_on),
    attempt AS (
      UPDATE delivery_attempts a SET finished_at = now(), status_code = w.status_code, error = w.error, answer = w.answer,
             duration_ms = w.duration_ms, request_headers = w.headers
      FROM written w WHERE a.delivery_id = w.id AND a.number = w.attempts),
    goes_on AS (
      INSERT INTO deliveries (event_id, store_id, environment, lane, next_at, created_at)
      SELECT w.event_id, w.store_id, w.environment, 'slow', now() + interval '${SLOW_SECONDS[0]} seconds', now()
      FROM written w JOIN webhook_endpoints e ON e.store_id = w.store_id AND e.environment = w.environment
      WHERE w.status = 'failed' AND w.may_go_on AND w.lane <> 'slow' AND e.slow_lane),
    needless AS (
      UPDATE deliveries d SET status = ${NEEDLESS.to}, finished_at = now() FROM written w
      WHERE w.status = 'delivered' AND w.lane = 'resent'
        AND d.event_id = w.event_id AND d.lane = 'slow' AND ${NEEDLESS.isFrom}),
    hours AS (
      INSERT INTO webhook_hours AS h (store_id, environment, hour, bucket, succeeded, failed)
      SELECT store_id, environment, date_trunc('hour', now(), 'UTC'), width_bucket(duration_ms, '{${BUCKET_MILLISECONDS.join()}}'::int[]),
             count(*) FILTER (WHERE status = 'delivered'), count(*) FILTER (WHERE status <> 'delivered')
      FROM written GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
      ON CONFLICT (store_id, environment, hour, bucket)
      DO UPDATE SET succeeded = h.succeeded + excluded.succeeded, failed = h.failed + excluded.failed),
    rows AS (
      SELECT store_id, environment, bool_or(status = 'delivered') AS has_arrived,
             count(*) FILTER (WHERE status = 'failed' AND lane <> 'slow') AS failed,
             count(*) FILTER (WHERE status = 'failed' AND lane <> 'slow' AND status_code = 410) AS gone
      FROM written WHERE status <> 'pending' GROUP BY store_id, environment),
    changed AS (
      SELECT e.id, r.* FROM webhook_endpoints e JOIN rows r ON r.store_id = e.store_id AND r.environment = e.environment
      WHERE CASE WHEN r.has_arrived THEN e.failed_in_a_row > 0 ELSE r.failed > 0 END
      ORDER BY e.store_id, e.environment FOR UPDATE OF e),
    counted AS (
      SELECT c.*, CASE WHEN c.has_arrived THEN 0 ELSE e.failed_in_a_row + c.failed END AS failed_in_a_row,
             CASE WHEN c.has_arrived OR c.gone < c.failed THEN 0 ELSE e.gone_in_a_row + c.gone END AS gone_in_a_row,
             CASE WHEN c.has_arrived THEN NULL ELSE coalesce(e.failing_since, now()) END AS failing_since
      FROM changed c JOIN webhook_endpoints e ON e.id = c.id),
    judged AS (
      UPDATE webhook_endpoints e SET
        failed_in_a_row = c.failed_in_a_row, gone_in_a_row = c.gone_in_a_row, failing_since = c.failing_since,
        paused_at = CASE WHEN e.paused_at IS NULL AND (c.gone_in_a_row >= ${GONE_IN_A_ROW} OR (c.failed_in_a_row >= ${FAILED_IN_A_ROW}
          AND c.failing_since <= now() - interval '${FAILING_HOURS} hours')) THEN now() ELSE e.paused_at END
      FROM counted c WHERE e.id = c.id
      RETURNING e.store_id, e.environment, e.paused_at, e.gone_in_a_row)
    INSERT INTO webhook_pauses (store_id, environment, reason, paused_at)
    SELECT store_id, environment, (CASE WHEN gone_in_a_row >= ${GONE_IN_A_ROW} THEN 'gone' ELSE 'failing' END)::"PauseReason", paused_at
    FROM judged WHERE paused_at IS NOT NULL
    ON CONFLICT (store_id, environment) WHERE resumed_at IS NULL DO NOTHING`,
};

/** Stores a batch. Repeating it is harmless: it changes only rows that are still as this process left them. */
export async function writeOutcomes(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  batch: readonly Ended[],
): Promise<void> {
  const now = clock.now().getTime();
  const rows = batch.map((ended) => rowOf(ended, now));
  const values = Array.from({ length: COLUMNS }, (_, column) => rows.map((row) => row[column]));
  await pool.query({ ...WRITE, values });
}

const COLUMNS = 10;
/** The move of a delivery by the outcome of its attempt. */
const MOVES: Readonly<Record<Next['status'], DeliveryMove>> = {
  delivered: 'deliver',
  failed: 'fail',
  pending: 'retry',
};

function rowOf({ id, epoch, attempts, lane, outcome, endedAt, milliseconds, headers }: Ended, now: number): unknown[] {
  const after = next(attempts, outcome, lane);
  const passed = (now - endedAt.getTime()) / 1000;
  const retryAfter = after.status === 'pending' ? Math.max(0, after.retryAfterSeconds - passed) : null;
  return [
    id,
    epoch,
    MOVES[after.status],
    retryAfter,
    ...shown(outcome),
    Math.round(milliseconds),
    headers && JSON.stringify(headers),
    isRetried(outcome),
  ];
}

/** Status code, error and response body for the attempt's row. */
function shown(outcome: Outcome): [number | null, string | null, string | null] {
  switch (outcome.kind) {
    case 'answered':
      return [outcome.status, null, outcome.answer];
    case 'timeout':
      return [null, 'TIMEOUT', null];
    case 'unreachable':
    case 'refused':
      return [null, outcome.error, null];
  }
  return outcome satisfies never;
}
