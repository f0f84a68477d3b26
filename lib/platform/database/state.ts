// Whether the database can serve this version now: it takes writes, and it has the tables. After a failover the same address can lead
// to a standby, which answers every read.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Pool } from './db';

/** `read_only`: a standby, or a server whose host protects a full disk. `schema`: a migration of this version is missing. */
export type DatabaseTrouble = 'read_only' | 'schema';

let known: readonly string[] | undefined;

/** The names of this version's migrations. */
const ownMigrations = (): readonly string[] =>
  (known ??= readdirSync(path.join(process.cwd(), 'prisma', 'migrations'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name));

const UNDEFINED_TABLE = '42P01';

/** Null: none. Throws the database's error when it does not answer. */
export async function databaseTrouble(pool: Pool): Promise<DatabaseTrouble | null> {
  if (await isReadOnly(pool)) return 'read_only';
  const { rows } = await pool
    .query<{ is_whole: boolean }>({
      name: 'database-schema',
      // A newer version's migrations may be there already: processes of two versions run side by side during an upgrade.
      text: `SELECT NOT EXISTS (SELECT FROM unnest($1::text[]) AS own (name) WHERE NOT EXISTS (SELECT FROM _prisma_migrations m
               WHERE m.migration_name = own.name AND m.finished_at IS NOT NULL AND m.rolled_back_at IS NULL)) AS is_whole`,
      values: [ownMigrations()],
    })
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return { rows: [{ is_whole: false }] };
      throw error;
    });
  return rows[0]?.is_whole ? null : 'schema';
}

/** Whether writes fail. The connection is closed then: a new one may lead to the server that takes writes. */
export async function isReadOnly(pool: Pool): Promise<boolean> {
  const client = await pool.connect();
  let broken: Error | boolean = false;
  const lost = (error: Error): void => {
    broken = error;
  };
  client.on('error', lost);
  try {
    const { rows } = await client.query<{ is_read_only: boolean }>({
      name: 'database-read-only',
      text: `SELECT current_setting('transaction_read_only')::boolean AS is_read_only`,
      values: [],
    });
    broken = rows[0]?.is_read_only !== false;
    return broken;
  } catch (error) {
    broken = error as Error;
    throw error;
  } finally {
    client.off('error', lost);
    client.release(broken);
  }
}
