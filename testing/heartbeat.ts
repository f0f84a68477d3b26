// Lets a test's clock skip hours in which the installation is supposed to have checked its sessions continuously.

import type { Pool } from '@/lib/platform/database/db';

/** As if sessions had been checked continuously until now (lib/payments/sessions/expire/heartbeat). */
export const recordHeartbeats = async (pool: Pool, now: Date): Promise<void> =>
  void (await pool.query(
    `INSERT INTO expiry_watch (since, seen_at) VALUES ('epoch', $1)
     ON CONFLICT (id) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at`,
    [now],
  ));
