// What must hold in a copy of the database that was restored from a backup, before it may replace the running one. The
// checks read only: a copy that was checked is as it was restored.

import { checkBooks } from '@/lib/ledger/invariants/check';
import { transaction, type Pool } from '@/lib/platform/database/db';

/** `broken` is empty when the sentence holds. */
export type RestoreCheck = { readonly id: string; readonly statement: string; readonly broken: readonly string[] };

/** Undoes the transaction that asked for a position. */
class Undo extends Error {}

/**
 * The position of an event that the database would record now: above those of all events before it. Nothing is kept of the
 * transaction that asked.
 */
export async function nextPosition(pool: Pool): Promise<bigint> {
  let position = 0n;
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ position: string }>('SELECT commit_position()::text AS position');
    position = BigInt(rows[0]?.position ?? 0);
    throw new Undo();
  }).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error;
  });
  return position;
}

/** Checks the copy. `live` is the position that the running database has reached; null when it does not run. */
export async function checkRestored(pool: Pool, live: bigint | null): Promise<RestoreCheck[]> {
  const books = await checkBooks(pool);
  return [
    ...books.map(({ id, statement, count, violations }) => ({ id, statement, broken: count === 0 ? [] : violations })),
    await positionsContinue(pool, live),
    await noAddressIsGivenAgain(pool),
    await migrationsAreWhole(pool),
  ];
}

/** Merchants keep the position of the last event that they read: an event below it is never read. */
async function positionsContinue(pool: Pool, live: bigint | null): Promise<RestoreCheck> {
  const { rows } = await pool.query<{ last: string }>('SELECT coalesce(max(written_in), 0)::text AS last FROM events');
  const [next, last] = [await nextPosition(pool), BigInt(rows[0]?.last ?? 0)];
  const broken = [
    ...(next > last ? [] : [`the next event gets ${next}, and the backup has one at ${last}`]),
    ...(live === null || next > live ? [] : [`the next event gets ${next}, and the running database is at ${live}`]),
  ];
  return { id: 'EVENTS', statement: 'no event position is used again after a restore', broken };
}

/** The running database may have given the pooled addresses of the backup to sessions that the backup lacks. */
async function noAddressIsGivenAgain(pool: Pool): Promise<RestoreCheck> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM address_pool
     WHERE incarnation = (SELECT pool_incarnation()) AND xmin = written_by`,
  );
  const count = rows[0]?.count ?? 0;
  const broken = count === 0 ? [] : [`${count} addresses of the backup's pool would be given to new sessions`];
  return { id: 'ADDRESSES', statement: 'no deposit address is given to a second session after a restore', broken };
}

async function migrationsAreWhole(pool: Pool): Promise<RestoreCheck> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NULL AND rolled_back_at IS NULL`,
  );
  const broken = rows.map(({ name }) => `${name} was not finished`);
  return { id: 'MIGRATIONS', statement: 'every migration of the backup is finished', broken };
}
