// One delivery for the console: its event with the exact text sent, and every attempt.

import type { Context } from '@/lib/platform/context';
import type { Endpoint } from '@/lib/webhooks/delivery/lease';
import type { EventType } from '@/lib/webhooks/events/events';
import { deliveriesOf, DELIVERY_COLUMNS, type DeliveryFacts, type DeliveryRow } from '@/lib/webhooks/events/read';

export type ReadDelivery = DeliveryFacts & {
  readonly eventId: string;
  readonly type: EventType;
  /** The session or refund that the event is about (Refund.id). */
  readonly objectId: string;
  readonly isTest: boolean;
  /** The exact text. */
  readonly body: string;
};

/** Ids are positive and fit PostgreSQL's bigint. */
const DELIVERY_ID = /^[1-9][0-9]{0,17}$/;

/** Null when this store has no such delivery in this environment. */
export async function readDelivery(
  { pool }: Pick<Context, 'pool'>,
  { storeId, environment, deliveryId }: Endpoint & { readonly deliveryId: string },
): Promise<ReadDelivery | null> {
  if (!DELIVERY_ID.test(deliveryId)) return null;
  const { rows } = await pool.query<Row>({
    name: 'read-delivery',
    text: `SELECT ${DELIVERY_COLUMNS}, e.id AS event_id, e.type, e.object_id, e.is_test, e.body
           FROM deliveries d JOIN events e ON e.id = d.event_id LEFT JOIN delivery_attempts a ON a.delivery_id = d.id
           WHERE d.id = $1 AND d.store_id = $2 AND d.environment = $3::"Environment" ORDER BY a.number`,
    values: [deliveryId, storeId, environment],
  });
  const [row] = rows;
  const [delivery] = deliveriesOf(rows);
  if (!row || !delivery) return null;
  return {
    ...delivery,
    eventId: row.event_id,
    type: row.type,
    objectId: row.object_id,
    isTest: row.is_test,
    body: row.body,
  };
}

type Row = DeliveryRow & { event_id: string; type: EventType; object_id: string; is_test: boolean; body: string };
