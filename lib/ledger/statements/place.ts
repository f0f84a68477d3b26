// The snapshot that a file about a store's period is read from, and the places that bound how many are read at once.

import type { Db, Pool } from '@/lib/platform/database/db';
import { openSnapshot, type Snapshot } from '@/lib/platform/database/snapshot';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { StatementScope } from './parts';

/**
 * A million lines take half a minute (`npm run bench -- statement`). PostgreSQL ends an idle transaction after 15 seconds, so
 * the snapshot ends first and gives the connection back.
 */
const LIMITS = { idle: 12_000, whole: 300_000 };
/** Statements that are read at once. Each takes one of the pool's connections for as long as its client downloads. */
const PLACES = 3;
const RETRY_AFTER_SECONDS = 10;

/** The classes of these advisory locks: a store's statement, and a place. They end with the snapshot. */
const STORE_LOCK_CLASS = 0x7e_f4;
const PLACE_LOCK_CLASS = 0x7e_f5;

/** Throws RATE_LIMITED while another file of the store is read, or all places are taken. The caller ends the snapshot. */
export async function openStatementSnapshot(
  pool: Pool,
  { storeId }: Pick<StatementScope, 'storeId'>,
): Promise<Snapshot> {
  const snapshot = await openSnapshot(pool, LIMITS);
  try {
    if (!(await isPlaceTaken(snapshot.db, storeId)))
      throw new ServiceError('RATE_LIMITED', { retryAfter: RETRY_AFTER_SECONDS });
    return snapshot;
  } catch (error) {
    await snapshot.end();
    throw error;
  }
}

async function isPlaceTaken(db: Db, storeId: string): Promise<boolean> {
  const { rows } = await db.query<{ is_taken: boolean }>({
    name: 'statement-place',
    text: `SELECT pg_try_advisory_xact_lock($1, hashtext($2)) AND EXISTS (
             SELECT FROM generate_series(1, $4::int) AS place WHERE pg_try_advisory_xact_lock($3, place)) AS is_taken`,
    values: [STORE_LOCK_CLASS, storeId, PLACE_LOCK_CLASS, PLACES],
  });
  return rows[0]?.is_taken ?? false;
}
