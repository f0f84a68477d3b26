// What a support bundle says of the database: versions, schema, sizes, queues, heartbeats and failures. Counts, names of ours and times
// only: no row of a customer or a store.

import type { Db } from '@/lib/platform/database/db';

/** Each is one statement whose rows are shown as they are. */
const QUERIES: Readonly<Record<string, string>> = {
  server: `SELECT version(), pg_is_in_recovery() AS in_recovery, now() AS time, pg_postmaster_start_time() AS started,
      pg_database_size(current_database()) AS bytes`,
  migrations: `SELECT migration_name AS name, finished_at, rolled_back_at FROM _prisma_migrations ORDER BY migration_name`,
  tables: `SELECT relname AS name, n_live_tup AS rows, n_dead_tup AS dead_rows, pg_table_size(relid) AS bytes,
      pg_indexes_size(relid) AS index_bytes, last_autovacuum, last_autoanalyze
    FROM pg_stat_user_tables ORDER BY pg_total_relation_size(relid) DESC`,
  connections: `SELECT usename AS role, state, count(*), max(now() - xact_start)::text AS oldest_transaction
    FROM pg_stat_activity WHERE datname = current_database() GROUP BY usename, state ORDER BY usename, state`,
  chains: `SELECT environment::text, network, tip_number, final_number, final_time, final_lag, scanned_at, lease_until, is_idle FROM chains
    ORDER BY environment, network`,
  endpoints: `SELECT environment::text, network, position, state, failures, since, checked_at FROM endpoints ORDER BY 1, 2, 3`,
  signer: `SELECT is_frozen, read_at, checked_at, trouble IS NOT NULL AS has_trouble, words_confirmed FROM signer_states`,
  step_failures: `SELECT step, failures, since, last_at, ended_at FROM step_failures ORDER BY step`,
  alarms: `SELECT kind, severity, count(*), min(opened_at) AS oldest FROM alarms WHERE closed_at IS NULL GROUP BY kind, severity ORDER BY kind`,
  quarantine: `SELECT kind, count(*), max(attempts) AS most_attempts, min(first_at) AS oldest FROM quarantine WHERE resolved_at IS NULL
    GROUP BY kind ORDER BY kind`,
  deliveries: `SELECT count(*), min(created_at) AS oldest, max(attempts) AS most_attempts FROM deliveries WHERE status = 'pending'`,
  mails: `SELECT count(*), min(created_at) AS oldest, max(attempts) AS most_attempts FROM mails WHERE sent_at IS NULL AND failed_at IS NULL`,
  sessions: `SELECT environment::text, count(*), min(expires_at) AS oldest FROM sessions WHERE status = 'pending' GROUP BY environment`,
  refunds: `SELECT environment::text, status::text, hold::text, count(*), min(created_at) AS oldest FROM refunds
    WHERE status IN ('pending', 'processing') GROUP BY environment, status, hold ORDER BY 1, 2, 3`,
};

/** By name: the rows, or the code of the error. One that fails, on an older schema or without a right, does not prevent the others. */
export async function databaseFacts(db: Db): Promise<Readonly<Record<string, unknown>>> {
  const facts: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(QUERIES)) facts[name] = await rowsOf(db, `support-${name}`, text);
  return facts;
}

async function rowsOf(db: Db, name: string, text: string): Promise<unknown> {
  try {
    const { rows } = await db.query<Record<string, unknown>>({ name, text, values: [] });
    return rows;
  } catch (error) {
    return { error: (error as { code?: string }).code ?? (error as Error).name };
  }
}
