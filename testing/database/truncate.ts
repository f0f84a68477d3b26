// Empties tables whose triggers forbid it, so that a test starts without the facts of earlier tests.

import { transaction, type Pool } from '@/lib/platform/database/db';

/** `tables`: names, separated by commas. Needs a superuser. */
export const truncateFacts = (pool: Pool, tables: string): Promise<void> =>
  transaction(pool, async (tx) => {
    await tx.query('SET LOCAL session_replication_role = replica');
    // Triggers keep what deposit addresses hold, and they do not run now.
    await tx.query(`TRUNCATE ${tables}, deposit_balances`);
  });
