// Waits until every open transaction has committed or rolled back.

import { vi } from 'vitest';
import type { TestDatabase } from './database';

/**
 * Waits at most a minute for all transactions that are open on the server now, including those of other test files.
 * They hold up the event list (oldest first); afterwards it contains all earlier events.
 */
export async function untilTransactionsEnd({ pool }: Pick<TestDatabase, 'pool'>): Promise<void> {
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
