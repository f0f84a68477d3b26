// The optional events that an endpoint gets besides the six of the contract: the merchant's choice, none by default.

import type { Db } from '@/lib/platform/database/db';
import type { Endpoint } from '@/lib/webhooks/delivery/lease';
import { OPTIONAL_EVENTS, type OptionalEventType } from './events';

/** Null when the store has no endpoint there. */
export async function readOptionalEvents(
  db: Db,
  { storeId, environment }: Endpoint,
): Promise<readonly OptionalEventType[] | null> {
  const { rows } = await db.query<{ optional_events: OptionalEventType[] }>({
    name: 'read-optional-events',
    text: 'SELECT optional_events FROM webhook_endpoints WHERE store_id = $1 AND environment = $2',
    values: [storeId, environment],
  });
  return rows[0]?.optional_events ?? null;
}

/**
 * Replaces the choice, in the order of the table. Returns the new choice; null when the store has no endpoint there.
 */
export async function chooseOptionalEvents(
  db: Db,
  { storeId, environment, events }: Endpoint & { readonly events: readonly OptionalEventType[] },
): Promise<readonly OptionalEventType[] | null> {
  const chosen = OPTIONAL_EVENTS.filter((type) => events.includes(type));
  const { rowCount } = await db.query({
    name: 'choose-optional-events',
    text: 'UPDATE webhook_endpoints SET optional_events = $3 WHERE store_id = $1 AND environment = $2',
    values: [storeId, environment, chosen],
  });
  return rowCount === 1 ? chosen : null;
}
