// Ends sessions whose time has run out, once every network that they offered was read past their expiry, or has failed to
// answer for as long as the setting allows. A step of the worker; the verdict itself is judge's.

import type { Context } from '@/lib/context';
import { transaction } from '@/lib/db';
import { settleSessions } from './settle';

/** Sessions ended in one transaction. */
const BATCH = 50;

// In no particular order: a session that must go on waiting, because its whole payment was seen on a network that has not
// answered since, never keeps others out of the batch.
const DUE = {
  name: 'sessions-due',
  text: `SELECT s.id FROM sessions s
         WHERE s.status = 'pending' AND s.expires_at <= $1
           AND (s.expires_at <= $2 OR NOT EXISTS (
             SELECT FROM unnest(s.networks) AS offered(network)
             LEFT JOIN chains c ON c.environment = s.environment AND c.network = offered.network AND c.retired_at IS NULL
             WHERE c.final_time IS NULL OR c.final_time < s.expires_at))
         ORDER BY random() LIMIT ${BATCH} FOR UPDATE OF s SKIP LOCKED`,
};

/** Ends up to one batch of sessions. */
export async function expireSessions({ pool, clock, config }: Context): Promise<{ more: boolean }> {
  const now = clock.now();
  const holdSeconds = config.EXPIRY_HOLD_SECONDS;
  const heldUntil = new Date(now.getTime() - holdSeconds * 1000);
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string }>({ ...DUE, values: [now, heldUntil] });
    const due = rows.map(({ id }) => id);
    const closed = await settleSessions(tx, due, { now, holdSeconds });
    return { more: due.length === BATCH && closed > 0 };
  });
}
