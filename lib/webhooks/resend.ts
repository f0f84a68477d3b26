// Sending an event again (decisions: Webhooks): a new delivery of the same text under the same id, with a schedule of its own.
// The earlier deliveries and their attempts stay as they are.

import type { Db } from '@/lib/db';
import { DELIVERIES_CHANNEL } from './record';

/**
 * Makes the delivery, due at once. Returns null when the store has no such event, or no endpoint in the event's environment
 * to send it to.
 */
export async function resendEvent(
  { pool }: { pool: Db },
  of: { storeId: string; eventId: string },
): Promise<{ deliveryId: string } | null> {
  const { rows } = await pool.query({
    name: 'resend-event',
    text: `WITH delivery AS (
             INSERT INTO deliveries (event_id, store_id, environment, next_at, created_at)
             SELECT e.id, e.store_id, e.environment, now(), now() FROM events e
             JOIN webhook_endpoints w ON w.store_id = e.store_id AND w.environment = e.environment
             WHERE e.id = $1 AND e.store_id = $2 RETURNING id)
           SELECT id, pg_notify('${DELIVERIES_CHANNEL}', '') FROM delivery`,
    values: [of.eventId, of.storeId],
  });
  return rows[0] ? { deliveryId: rows[0].id } : null;
}
