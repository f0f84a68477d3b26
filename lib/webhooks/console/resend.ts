// Resends events. Each request creates one new delivery of the same text under the same id, with its own retry
// schedule. Earlier deliveries and their attempts stay unchanged.

import type { Environment } from '@/lib/platform/ids';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Endpoint } from '@/lib/webhooks/delivery/lease';
import { DELIVERIES_CHANNEL } from '@/lib/webhooks/events/record';

type Deps = Pick<Context, 'pool'>;

/** Resends of one event per minute. More is a stuck key. */
const PER_EVENT = 10;
/** Resent deliveries per endpoint and minute: the rate at which they are sent (below). */
const PER_MINUTE = 3000;
const SENT_PER_SECOND = 50;
/** Maximum events in one selection, and in one use of "resend all failed". */
export const MAX_SELECTED = 100;
const MAX_FAILED = 1000;

/**
 * Resends one event at once. Returns null when the store has no such event, or no endpoint in the event's environment.
 * Throws RATE_LIMITED.
 */
export const resendEvent = (
  { pool }: Deps,
  of: { storeId: string; eventId: string },
): Promise<{ deliveryId: string } | null> => transaction(pool, (tx) => resendEventIn(tx, of));

/** The same within the caller's transaction. */
export async function resendEventIn(
  tx: Tx,
  { storeId, eventId }: { storeId: string; eventId: string },
): Promise<{ deliveryId: string } | null> {
  const { rows } = await tx.query<{ environment: Environment }>(
    'SELECT environment FROM events WHERE id = $1 AND store_id = $2',
    [eventId, storeId],
  );
  const [event] = rows;
  if (!event) return null;
  const [deliveryId] = await resend(tx, { storeId, environment: event.environment }, async () => [eventId]);
  return deliveryId === undefined ? null : { deliveryId };
}

type Selection = Endpoint & { readonly eventIds: readonly string[] };

/** Resends a selection in the given order. Skips events that the store does not have. Throws RATE_LIMITED. */
export const resendEvents = ({ pool }: Deps, of: Selection): Promise<{ deliveryIds: string[] }> =>
  transaction(pool, (tx) => resendEventsIn(tx, of));

/** The same within the caller's transaction. */
export async function resendEventsIn(
  tx: Tx,
  { storeId, environment, eventIds }: Selection,
): Promise<{ deliveryIds: string[] }> {
  const wanted = [...new Set(eventIds)];
  if (wanted.length > MAX_SELECTED) {
    throw new ServiceError('INVALID_PARAMETER', { param: 'event_ids', message: `At most ${MAX_SELECTED} events.` });
  }
  return { deliveryIds: await resend(tx, { storeId, environment }, async () => wanted) };
}

/**
 * Resends up to 1,000 events, oldest first, that have a delivery made at or after `since` that failed, and none that
 * arrived or is still being tried (apart from the slow lane). `isMore`: more are left for the next call. Throws
 * RATE_LIMITED.
 */
export const resendFailed = ({ pool }: Deps, of: Endpoint & { readonly since: Date }): Promise<ResentFailed> =>
  transaction(pool, (tx) => resendFailedIn(tx, of));

export type ResentFailed = { readonly deliveryIds: string[]; readonly isMore: boolean };

/** The same within the caller's transaction. */
export async function resendFailedIn(
  tx: Tx,
  { storeId, environment, since }: Endpoint & { readonly since: Date },
): Promise<ResentFailed> {
  let isMore = false;
  const chooseFailed = async (): Promise<string[]> => {
    const { rows } = await tx.query<{ event_id: string }>(
      `SELECT d.event_id FROM deliveries d
       WHERE d.store_id = $1 AND d.environment = $2 AND d.status = 'failed' AND d.created_at >= $3
         AND NOT EXISTS (SELECT FROM deliveries o WHERE o.event_id = d.event_id
           AND (o.status = 'delivered' OR (o.status = 'pending' AND o.lane <> 'slow')))
       GROUP BY d.event_id ORDER BY min(d.created_at), d.event_id LIMIT ${MAX_FAILED + 1}`,
      [storeId, environment, since],
    );
    isMore = rows.length > MAX_FAILED;
    return rows.slice(0, MAX_FAILED).map(({ event_id }) => event_id);
  };
  return { deliveryIds: await resend(tx, { storeId, environment }, chooseFailed), isMore };
}

/** Locks the endpoint's row, so that parallel requests count each other. */
async function resend(tx: Tx, { storeId, environment }: Endpoint, choose: () => Promise<string[]>): Promise<string[]> {
  const endpoint = await tx.query(
    'SELECT 1 FROM webhook_endpoints WHERE store_id = $1 AND environment = $2 FOR UPDATE',
    [storeId, environment],
  );
  if (endpoint.rowCount !== 1) return [];
  const eventIds = await choose();
  await refuseTooMany(tx, { storeId, environment }, eventIds);
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO deliveries (event_id, store_id, environment, lane, next_at, created_at)
       SELECT e.id, e.store_id, e.environment, 'resent', now() + make_interval(secs => (chosen.turn - 1)::float8 / ${SENT_PER_SECOND}), now()
       FROM unnest($3::text[]) WITH ORDINALITY AS chosen (id, turn)
       JOIN events e ON e.id = chosen.id AND e.store_id = $1 AND e.environment = $2
       ORDER BY chosen.turn RETURNING id`,
    [storeId, environment, eventIds],
  );
  if (rows.length > 0) await tx.query(`SELECT pg_notify('${DELIVERIES_CHANNEL}', '')`);
  return rows.map(({ id }) => id);
}

async function refuseTooMany(tx: Tx, { storeId, environment }: Endpoint, eventIds: readonly string[]): Promise<void> {
  const { rows } = await tx.query<{ all: number; one: number }>(
    `SELECT coalesce(sum(n), 0)::int AS all, coalesce(max(n) FILTER (WHERE event_id = ANY($3)), 0)::int AS one FROM (
       SELECT event_id, count(*) AS n FROM deliveries
       WHERE store_id = $1 AND environment = $2 AND lane = 'resent' AND created_at > now() - interval '1 minute'
       GROUP BY event_id) recent`,
    [storeId, environment, eventIds],
  );
  const { one = 0, all = 0 } = rows[0] ?? {};
  if (one < PER_EVENT && all + eventIds.length <= PER_MINUTE) return;
  throw new ServiceError('RATE_LIMITED', {
    message: 'Events were sent again too often within a minute.',
    retryAfter: 60,
  });
}
