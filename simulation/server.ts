// The database server of `npm run simulate`: the embedded PostgreSQL with a migrated template. The tests bring their own.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { migrate } from '@/scripts/migrate.mjs';
import { startPostgres } from '@/scripts/postgres.mjs';

const TEMPLATE = 'simulation_template';
/** Nothing needs to reach the disk, and background work would take time from the histories. */
const SETTINGS = [
  ...['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'wal_level=minimal', 'max_wal_senders=0'],
  ...['wal_compression=off', 'autovacuum=off', 'jit=off', 'plan_cache_mode=force_generic_plan', 'io_method=sync'],
];
/** Memory, where the system offers it as a directory. */
const MEMORY = '/dev/shm';

export type Server = { readonly url: string; readonly template: string; readonly stop: () => Promise<void> };

/** Starts a server; `stop` removes it with its data. A server that `startServer` left running can be used again by its URL. */
export async function startServer(running?: string): Promise<Server> {
  if (running !== undefined) return { url: running, template: TEMPLATE, stop: async () => {} };
  const directory = fs.mkdtempSync(path.join(fs.existsSync(MEMORY) ? MEMORY : os.tmpdir(), 'stabletill-simulation-'));
  fs.chmodSync(directory, 0o755);
  const started = await startPostgres({ directory: path.join(directory, 'postgres'), settings: SETTINGS });
  const client = new pg.Client({ connectionString: started.url });
  await client.connect();
  await client.query(`CREATE DATABASE ${TEMPLATE}`).finally(() => client.end());
  const url = new URL(started.url);
  url.pathname = `/${TEMPLATE}`;
  await migrate(url.href);
  const stop = async (): Promise<void> => {
    await started.stop();
    fs.rmSync(directory, { recursive: true, force: true });
  };
  return { url: started.url, template: TEMPLATE, stop };
}
