// Waits until it is decided what becomes of everything written so far.

import { vi } from 'vitest';
import type { TestDatabase } from './database/database';

/**
 * Waits for the end of every transaction that is open on the server now, those of other test files included; at most a
 * minute. Events asked oldest first are held up by them: from then on, all that were recorded before are there.
 */
export async function untilDecided({ pool }: Pick<TestDatabase, 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ next: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next');
  await vi.waitFor(
    async () => {
      const open = await pool.query('SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) < $1::text::xid8', [
        rows[0]?.next,
      ]);
      if (open.rowCount !== 0) throw new Error('a transaction of another test stays open');
    },
    { timeout: 60_000, interval: 20 },
  );
}
