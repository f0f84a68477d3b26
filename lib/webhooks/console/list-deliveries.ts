// The delivery list of the console: a store's deliveries in one environment, newest first, in pages, with the result of
// their last attempt. Each page returns its end as a cursor, so new deliveries appear before it and shift nothing.

import type { Context } from '@/lib/platform/context';
import type { DeliveryStatus } from '@/prisma/generated/enums';
import type { Endpoint } from '@/lib/webhooks/delivery/lease';
import type { EventType } from '@/lib/webhooks/events/events';
import type { Lane } from '@/lib/webhooks/delivery/schedule';

/** The last delivery of the previous page. */
type DeliveryPosition = { readonly createdAt: Date; readonly id: string };

export type DeliveryQuery = Endpoint & {
  readonly types?: readonly EventType[] | undefined;
  readonly status?: DeliveryStatus | undefined;
  readonly eventId?: string | undefined;
  /** Events about this session and about its refunds. */
  readonly sessionId?: string | undefined;
  /** The merchant's own reference of the refund. */
  readonly refundId?: string | undefined;
  /** Created at or after `from`, and before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly after?: DeliveryPosition | null | undefined;
  /** At most 100. */
  readonly limit: number;
};

export type ListedDelivery = {
  readonly id: string;
  readonly eventId: string;
  readonly type: EventType;
  readonly objectId: string;
  readonly isTest: boolean;
  readonly status: DeliveryStatus;
  readonly lane: Lane;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  /** When the next attempt is due; null when there will be none. */
  readonly nextAt: Date | null;
  readonly attempts: number;
  /** The result of its last attempt; null when there was none. */
  readonly last: {
    readonly startedAt: Date;
    readonly statusCode: number | null;
    readonly error: string | null;
    readonly milliseconds: number | null;
  } | null;
};

export type DeliveryPage = {
  readonly deliveries: readonly ListedDelivery[];
  /** The cursor of the next page; null on the last page. */
  readonly next: DeliveryPosition | null;
};

const MAX = 100;

export async function listDeliveries({ pool }: Pick<Context, 'pool'>, query: DeliveryQuery): Promise<DeliveryPage> {
  const limit = Math.max(1, Math.min(MAX, query.limit));
  const { rows } = await pool.query<Row>(statementOf({ ...query, limit }));
  const deliveries = rows.slice(0, limit).map(listed);
  const last = deliveries.at(-1);
  return { deliveries, next: last && rows.length > limit ? { createdAt: last.createdAt, id: last.id } : null };
}

/**
 * Not a named statement: it contains only the requested conditions, so that PostgreSQL plans with the matching index.
 */
function statementOf(query: DeliveryQuery): { text: string; values: unknown[] } {
  const values: unknown[] = [query.storeId, query.environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['d.store_id = $1', 'd.environment = $2::"Environment"'];
  const { types, status, eventId, sessionId, refundId, from, to, after } = query;
  if (types !== undefined) conditions.push(`e.type = ANY(${given(types)})`);
  if (status !== undefined) conditions.push(`d.status = ${given(status)}::"DeliveryStatus"`);
  if (eventId !== undefined) conditions.push(`d.event_id = ${given(eventId)}`);
  if (from !== undefined) conditions.push(`d.created_at >= ${given(from)}`);
  if (to !== undefined) conditions.push(`d.created_at < ${given(to)}`);
  if (after)
    conditions.push(`(d.created_at, d.id) < (${given(after.createdAt)}::timestamptz, ${given(after.id)}::bigint)`);
  if (sessionId !== undefined) {
    const name = given(sessionId);
    conditions.push(`d.event_id IN (SELECT v.id FROM events v WHERE v.object_id = ${name}
      OR v.object_id IN (SELECT r.id FROM refunds r WHERE r.session_id = ${name} AND r.store_id = $1))`);
  }
  if (refundId !== undefined) {
    conditions.push(`d.event_id IN (SELECT v.id FROM events v WHERE v.object_id IN (
      SELECT r.id FROM refunds r WHERE r.store_id = $1 AND r.environment = $2::"Environment" AND r.refund_id = ${given(refundId)}))`);
  }
  const text = `
SELECT d.id, d.event_id, e.type, e.object_id, e.is_test, d.status, d.lane, d.created_at, d.finished_at, d.next_at, d.attempts,
       a.started_at, a.status_code, a.error, a.duration_ms
FROM (SELECT d.* FROM deliveries d JOIN events e ON e.id = d.event_id WHERE ${conditions.join(' AND ')}
      ORDER BY d.created_at DESC, d.id DESC LIMIT ${given(query.limit + 1)}) d
JOIN events e ON e.id = d.event_id
LEFT JOIN delivery_attempts a ON a.delivery_id = d.id AND a.number = d.attempts
ORDER BY d.created_at DESC, d.id DESC`;
  return { text, values };
}

type Row = {
  id: string;
  event_id: string;
  type: EventType;
  object_id: string;
  is_test: boolean;
  status: DeliveryStatus;
  lane: Lane;
  created_at: Date;
  finished_at: Date | null;
  next_at: Date;
  attempts: number;
  started_at: Date | null;
  status_code: number | null;
  error: string | null;
  duration_ms: number | null;
};

const listed = (row: Row): ListedDelivery => ({
  id: row.id,
  eventId: row.event_id,
  type: row.type,
  objectId: row.object_id,
  isTest: row.is_test,
  status: row.status,
  lane: row.lane,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  nextAt: row.status === 'pending' ? row.next_at : null,
  attempts: row.attempts,
  last: row.started_at && {
    startedAt: row.started_at,
    statusCode: row.status_code,
    error: row.error,
    milliseconds: row.duration_ms,
  },
});
