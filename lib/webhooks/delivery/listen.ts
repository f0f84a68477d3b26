// Listens to database notifications over a connection of its own. Such a connection can break unnoticed for a while, so
// listeners must also poll.

import type { PoolClient } from 'pg';
import type { Pool } from '@/lib/platform/database/db';

export type Listener = {
  /** Connects when there is no connection, at first or after it broke. Rejects when the database cannot be reached. */
  readonly keepOpen: () => Promise<void>;
  readonly close: () => void;
};

/** Calls `onNotice` for every notification on the channel while connected. */
export function openListener(pool: Pool, channel: string, onNotice: () => void): Listener {
  let present: PoolClient | null = null;

  const drop = (client: PoolClient) => {
    if (present !== client) return;
    present = null;
    // Destroy it rather than return it: the next user of the connection would keep receiving notifications.
    client.release(true);
  };

  const keepOpen = async () => {
    if (present) return;
    const client = await pool.connect();
    present = client;
    client.on('error', () => drop(client));
    client.on('end', () => drop(client));
    client.on('notification', onNotice);
    try {
      await client.query(`LISTEN ${channel}`);
    } catch (error) {
      drop(client);
      throw error;
    }
  };

  return { keepOpen, close: () => present && drop(present) };
}
