// Inserts as many rows as a large installation has, for tests of how they are read.

import type { Pool } from '@/lib/platform/database/db';

const AT_ONCE = 10_000;

/**
 * Inserts rows numbered `n`, from 1 to `count`, by an INSERT … SELECT … FROM the numbers. Batches of ten thousand keep
 * each statement below the pool's timeout and do not block waits for open transactions.
 */
export async function insertMany(
  pool: Pool,
  count: number,
  insert: (numbers: string) => string,
  values: readonly unknown[] = [],
): Promise<void> {
  for (let first = 1; first <= count; first += AT_ONCE) {
    const last = Math.min(count, first + AT_ONCE - 1);
    await pool.query(insert(`generate_series(${first}, ${last}) n`), [...values]);
  }
}
