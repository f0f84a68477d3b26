// The events of a store in one environment with their delivery status, newest first, by one statement a page.

import type { Context } from '@/lib/platform/context';
import type { DeliveryStatus } from '@/prisma/generated/enums';
import type { EventFilters } from './filters';
import { keyset, pageOf, type Page, type PageRequest } from './keyset';
import type { StoreScope } from './payments';

export type EventRow = {
  readonly id: string;
  readonly type: string;
  /** The session or refund that it is about. */
  readonly objectId: string;
  readonly createdAt: Date;
  /** Of its newest delivery; null when there was no endpoint, or after its retention. */
  readonly delivery: DeliveryStatus | null;
  readonly attempts: number | null;
};

/** One page. */
export async function listStoreEvents(
  { pool }: { readonly pool: Pick<Context['pool'], 'query'> },
  of: StoreScope,
  filters: EventFilters,
  pageRequest: PageRequest,
): Promise<Page<EventRow>> {
  const { rows } = await pool.query<EventRow>(eventsStatement(of, filters, pageRequest));
  return pageOf(rows, pageRequest, (row) => row);
}

/** Not named: it contains only the requested conditions, and PostgreSQL plans it with their values. */
export function eventsStatement(
  { storeId, environment }: StoreScope,
  filters: EventFilters,
  pageRequest: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [storeId, environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['e.store_id = $1', 'e.environment = $2::"Environment"'];
  if (filters.type) conditions.push(`e.type = ${given(filters.type)}`);
  if (filters.from) conditions.push(`e.created_at >= ${given(filters.from)}`);
  if (filters.to) conditions.push(`e.created_at < ${given(filters.to)}`);
  if (filters.q) {
    const q = given(filters.q);
    conditions.push(`e.id = ANY (ARRAY(SELECT id FROM events WHERE id = ${q} OR object_id = ${q}
      UNION SELECT v.id FROM sessions s JOIN events v ON v.object_id = s.id
        WHERE s.store_id = $1 AND s.environment = $2::"Environment" AND s.order_id = ${q}
      UNION SELECT v.id FROM refunds r JOIN events v ON v.object_id = r.id
        WHERE r.store_id = $1 AND r.environment = $2::"Environment" AND r.refund_id = ${q}))`);
  }
  const { condition, order } = keyset(pageRequest, ['e.created_at', 'e.id'], given);
  const text = `WITH page AS (
      SELECT e.id, e.type, e.object_id, e.created_at FROM events e WHERE ${conditions.join(' AND ')}${condition} ${order})
    SELECT e.id, e.type, e.object_id AS "objectId", e.created_at AS "createdAt", d.status AS delivery, d.attempts
    FROM page e LEFT JOIN LATERAL (
      SELECT status, attempts FROM deliveries WHERE event_id = e.id ORDER BY id DESC LIMIT 1) d ON true
    ${order.replace(/ LIMIT .*$/, '')}`;
  return { text, values };
}

export type EventView = EventRow & { readonly body: string };

/** One event with the exact text that was sent; null when the store has none with this id here. */
export async function readStoreEvent(
  { pool }: { readonly pool: Pick<Context['pool'], 'query'> },
  { storeId, environment }: StoreScope,
  id: string,
): Promise<EventView | null> {
  const { rows } = await pool.query<EventView>({
    name: 'dashboard-event',
    text: `SELECT e.id, e.type, e.object_id AS "objectId", e.created_at AS "createdAt", e.body, NULL::"DeliveryStatus" AS delivery, NULL::int AS attempts
           FROM events e WHERE e.id = $1 AND e.store_id = $2 AND e.environment = $3::"Environment"`,
    values: [id, storeId, environment],
  });
  return rows[0] ?? null;
}
