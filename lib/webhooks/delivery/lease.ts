// Leases due deliveries, fairly between endpoints and within each host's limit. One statement picks them, leases them,
// counts the attempt and inserts its row. A crash at any later moment leaves a counted attempt and a delivery that
// becomes due again. A lease moves the delivery's next time past the call's deadline. An epoch distinguishes a late
// outcome from the current one.

import { inHalves } from '@/lib/platform/database/isolate';
import type { Context } from '@/lib/platform/context';
import { isRefusedStatement, type Pool } from '@/lib/platform/database/db';
import { moveSql } from '@/lib/platform/database/moves';
import type { Environment } from '@/lib/platform/ids';
import { isDueAlone, quarantineFailed, type Subject } from '@/lib/platform/database/quarantine';
import type { Hosts } from './hosts';
import { MAX_ATTEMPTS, MAX_SLOW_ATTEMPTS, SLOW_SECONDS, type Lane } from './schedule';
import { DELIVERIES } from './states';

export type Endpoint = { readonly storeId: string; readonly environment: Environment };

/** A delivery that this process attempts now. */
export type LeasedDelivery = Endpoint & {
  readonly id: string;
  readonly epoch: number;
  /** The number of this attempt, from 1. */
  readonly attempts: number;
  readonly lane: Lane;
  readonly eventId: string;
  readonly type: string;
  readonly body: string;
  /** When the event was recorded. */
  readonly recordedAt: Date;
  /** For the log: the session or refund of the event; null for a payout. */
  readonly about: {
    readonly session: string | null;
    readonly order_id: string | null;
    readonly request_id: string | null;
    readonly traceparent: string | null;
  };
  readonly url: string;
  readonly secretCiphertext: Buffer;
  readonly previousSecretCiphertext: Buffer | null;
};

/** Room in total, per endpoint and per host, and each endpoint's calls in flight. */
export type Room = {
  readonly total: number;
  readonly perEndpoint: number;
  readonly inFlight: readonly (Endpoint & { readonly count: number })[];
  /** Room left at known hosts, and at any other host. */
  readonly hosts: ReturnType<Hosts['room']>;
};

/** The deadline of a call (30 s) plus time to store its outcome, even when the database is briefly unavailable. */
const LEASE_SECONDS = 45;

/** Whether a delivery has used all its attempts, or has lost its endpoint. */
const IS_OVER = `d.attempts >= CASE d.lane WHEN 'slow' THEN ${MAX_SLOW_ATTEMPTS} ELSE ${MAX_ATTEMPTS} END OR w.id IS NULL`;

const TAKEN = moveSql(DELIVERIES, { fail: IS_OVER, attempt: `NOT (${IS_OVER})` });

const ENDPOINT_WITH_PENDING = `endpoint AS (
      (SELECT store_id, environment FROM deliveries WHERE status = 'pending' ORDER BY store_id, environment LIMIT 1)
      UNION ALL
      SELECT following.store_id, following.environment FROM endpoint e CROSS JOIN LATERAL (
        SELECT d.store_id, d.environment FROM deliveries d
        WHERE d.status = 'pending' AND (d.store_id, d.environment) > (e.store_id, e.environment)
        ORDER BY d.store_id, d.environment LIMIT 1) following
    )`;
const IS_DUE = `d.status = 'pending' AND d.store_id = e.store_id AND d.environment = e.environment AND d.next_at <= now()
            AND ${isDueAlone('delivery', 'd.id::text', 'now()')}`;

/**
 * Endpoints with pending deliveries are found by skipping along the index (deliveries_pending), so a million waiting
 * deliveries of one endpoint cost no more than one. Deliveries of a paused endpoint wait. A delivery whose last attempt
 * was interrupted fails here, and continues in the slow lane if the store chose it. A delivery whose endpoint was
 * deleted fails too. An endpoint without a call in flight gets one even at a host without room, so that no store waits
 * behind another store's hanging calls. The host is extracted from the URL as hostOfUrl does. $9: only deliveries with
 * these ids, or any when it is null.
 */
const LEASE = {
  name: 'claim-deliveries',
  text: `
    WITH RECURSIVE ${ENDPOINT_WITH_PENDING},
    busy AS (SELECT * FROM unnest($3::text[], $4::"Environment"[], $5::int[]) AS b(store_id, environment, count)),
    known AS (SELECT * FROM unnest($6::text[], $7::int[]) AS k(host, room)),
    open AS (
      SELECT e.store_id, e.environment, w.host, coalesce(known.room, $8) AS host_room, busy.count IS NULL AS is_idle,
             greatest(CASE WHEN busy.count IS NULL THEN 1 ELSE 0 END,
               least($2::int - coalesce(busy.count, 0), coalesce(known.room, $8))) AS room
      FROM endpoint e
      LEFT JOIN LATERAL (SELECT substring(url FROM '^[a-z]+://([^/?#]+)') AS host, paused_at FROM webhook_endpoints
        WHERE store_id = e.store_id AND environment = e.environment) w ON true
      LEFT JOIN busy ON busy.store_id = e.store_id AND busy.environment = e.environment
      LEFT JOIN known ON known.host = w.host
      WHERE w.paused_at IS NULL
    ),
    ranked AS (
      SELECT one.id, one.next_at, one.turn, e.store_id, e.environment, e.host_room, e.is_idle,
             row_number() OVER (PARTITION BY e.host ORDER BY one.turn, one.next_at, one.id) AS turn_at_host
      FROM open e
      CROSS JOIN LATERAL (
        SELECT locked.id, locked.next_at, row_number() OVER (ORDER BY locked.next_at, locked.id) AS turn FROM (
          SELECT d.id, d.next_at FROM deliveries d
          WHERE ${IS_DUE} AND ($9::bigint[] IS NULL OR d.id = ANY($9))
          ORDER BY d.next_at, d.id LIMIT e.room FOR UPDATE SKIP LOCKED) locked) one
    ),
    due AS (
      SELECT id, store_id, environment FROM ranked WHERE turn_at_host <= host_room OR (is_idle AND turn = 1)
      ORDER BY turn, next_at LIMIT $1
    ),
    taken AS (
      UPDATE deliveries d SET
        status = ${TAKEN.to},
        finished_at = CASE WHEN ${IS_OVER} THEN now() END,
        attempts = CASE WHEN ${IS_OVER} THEN d.attempts ELSE d.attempts + 1 END,
        -- The same rule as for a failed attempt (write-outcomes).
        is_notice_due = (${IS_OVER}) AND w.id IS NOT NULL AND d.lane <> 'resent' AND NOT (d.lane <> 'slow' AND w.slow_lane),
        epoch = d.epoch + 1,
        next_at = now() + interval '${LEASE_SECONDS} seconds'
      FROM due LEFT JOIN webhook_endpoints w ON w.store_id = due.store_id AND w.environment = due.environment
      WHERE d.id = due.id AND ${TAKEN.isFrom}
      RETURNING d.*, w.url, w.slow_lane, w.secret_ciphertext,
                CASE WHEN w.previous_until > now() THEN w.previous_secret_ciphertext END AS previous_secret_ciphertext
    ),
    goes_on AS (
      INSERT INTO deliveries (event_id, store_id, environment, lane, next_at, created_at)
      SELECT event_id, store_id, environment, 'slow', now() + interval '${SLOW_SECONDS[0]} seconds', now()
      FROM taken WHERE status = 'failed' AND lane <> 'slow' AND slow_lane
    ),
    interrupted AS (
      UPDATE delivery_attempts a SET finished_at = now(), error = 'INTERRUPTED' FROM taken
      WHERE a.delivery_id = taken.id AND a.finished_at IS NULL
    ),
    attempt AS (
      INSERT INTO delivery_attempts (delivery_id, number, url, started_at)
      SELECT id, attempts, url, now() FROM taken WHERE status = 'pending'
    )
    SELECT taken.id, taken.epoch, taken.attempts, taken.lane, taken.store_id, taken.environment, taken.event_id, taken.url,
           taken.secret_ciphertext, taken.previous_secret_ciphertext, e.type, e.body, e.created_at, o.session, o.order_id, o.request_id, o.traceparent
    FROM taken JOIN events e ON e.id = taken.event_id
    LEFT JOIN LATERAL (SELECT id AS session, order_id, request_id, traceparent FROM sessions WHERE id = e.object_id
      UNION ALL SELECT session_id, order_id, request_id, traceparent FROM refunds WHERE id = e.object_id) AS o ON true
    WHERE taken.status = 'pending'`,
};

/** The candidates of LEASE, for when the database refuses it. */
const FIND = {
  name: 'find-deliveries',
  text: `WITH RECURSIVE ${ENDPOINT_WITH_PENDING}
    SELECT one.id, e.store_id, e.environment FROM endpoint e CROSS JOIN LATERAL (
      SELECT d.id, row_number() OVER (ORDER BY d.next_at, d.id) AS turn FROM deliveries d
      WHERE ${IS_DUE} ORDER BY d.next_at, d.id LIMIT $1) one ORDER BY one.turn LIMIT $2`,
};
type Found = Endpoint & { readonly id: string };

/**
 * Leases due deliveries while there is room, each endpoint's oldest first and the endpoints in turn. If the database
 * refuses that, the deliveries that it refuses individually are quarantined and the others are leased.
 */
export async function leaseDue(
  context: Pick<Context, 'pool' | 'clock' | 'log'>,
  room: Room,
): Promise<LeasedDelivery[]> {
  const { pool, log } = context;
  try {
    return await leaseWithin(pool, room, null);
  } catch (error) {
    if (!isRefusedStatement(error)) throw error;
    log.warn({ err: error }, 'deliveries could not be leased together: each is leased individually');
  }
  const { rows } = await pool.query<{ id: string; store_id: string; environment: Environment }>({
    ...FIND,
    values: [room.perEndpoint, room.total],
  });
  const found = rows.map(({ id, store_id: storeId, environment }): Found => ({ id, storeId, environment }));
  // Each part counts on the whole room of a host, so one pass may exceed it. Quarantined deliveries are not retried
  // soon.
  const { results, failed } = await inHalves(found, (some) =>
    leaseWithin(
      pool,
      room,
      some.map(({ id }) => id),
    ),
  );
  await quarantineFailed({ ...context, db: pool }, 'take deliveries', failed, deliverySubject);
  return results.flat();
}

export const deliverySubject = ({ id, storeId, environment }: Found): Subject & { readonly kind: 'delivery' } => ({
  kind: 'delivery',
  id,
  storeId,
  environment,
});

type LeasedRow = {
  id: string;
  epoch: number;
  attempts: number;
  lane: Lane;
  store_id: string;
  environment: Environment;
  event_id: string;
  type: string;
  body: string;
  created_at: Date;
  session: string | null;
  order_id: string | null;
  request_id: string | null;
  traceparent: string | null;
  url: string;
  secret_ciphertext: Buffer;
  previous_secret_ciphertext: Buffer | null;
};

async function leaseWithin(
  pool: Pool,
  { total, perEndpoint, inFlight, hosts }: Room,
  only: readonly string[] | null,
): Promise<LeasedDelivery[]> {
  const { rows } = await pool.query<LeasedRow>({
    ...LEASE,
    values: [
      total,
      perEndpoint,
      inFlight.map(({ storeId }) => storeId),
      inFlight.map(({ environment }) => environment),
      inFlight.map(({ count }) => count),
      hosts.known.map(({ host }) => host),
      hosts.known.map(({ room }) => room),
      hosts.unknown,
      only,
    ],
  });
  return rows.map((row) => ({
    id: row.id,
    epoch: row.epoch,
    attempts: row.attempts,
    lane: row.lane,
    storeId: row.store_id,
    environment: row.environment,
    eventId: row.event_id,
    type: row.type,
    body: row.body,
    recordedAt: row.created_at,
    about: { session: row.session, order_id: row.order_id, request_id: row.request_id, traceparent: row.traceparent },
    url: row.url,
    secretCiphertext: row.secret_ciphertext,
    previousSecretCiphertext: row.previous_secret_ciphertext,
  }));
}
