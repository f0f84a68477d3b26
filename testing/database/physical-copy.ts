// Copies of a real PostgreSQL server's data directory: base backups, and standbys that follow it.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { vi, expect } from 'vitest';
import { migrate } from '@/scripts/migrate.mjs';
import { startPostgres } from '@/scripts/postgres.mjs';
import { openPool } from '@/lib/platform/database/db';
import { openPrisma } from '@/lib/platform/database/prisma';
import type { TestDatabase } from './database';

export type RunningServer = TestDatabase & { readonly directory: string; readonly stop: () => Promise<void> };

const isStandby = (directory: string): boolean => fs.existsSync(path.join(directory, 'standby.signal'));

/** Starts the server of a directory and migrates its database, unless it is a standby. */
export async function startServer(directory: string, settings: string[] = []): Promise<RunningServer> {
  const server = await startPostgres({ directory, settings });
  if (!isStandby(directory)) await migrate(server.url);
  const pool = openPool(server.url, 5);
  const prisma = await openPrisma(pool);
  const stop = async () => {
    await prisma.$disconnect();
    await pool.end();
    await server.stop();
  };
  return { url: server.url, pool, prisma, close: stop, directory, stop };
}

/** Copies the files of a server that does not run. */
export const copyFiles = (from: string, to: string): void => void spawnSync('cp', ['-a', from, to]);

/** A base backup of a running server, as pg_basebackup makes it. */
export async function backUp({ pool, directory }: RunningServer, to: string): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`SELECT pg_backup_start('copy', true)`);
    copyFiles(directory, to);
    const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()');
    addFile(to, 'backup_label', rows[0].labelfile);
    fs.rmSync(path.join(to, 'postmaster.pid'));
  } finally {
    client.release();
  }
}

/** Writes a file of the directory that PostgreSQL's user may read and remove. */
export function addFile(directory: string, name: string, text = ''): void {
  copyFiles(path.join(directory, 'PG_VERSION'), path.join(directory, name));
  fs.writeFileSync(path.join(directory, name), text);
}

/** Starts a standby that streams from the server. */
export async function startStandby(server: RunningServer, directory: string): Promise<RunningServer> {
  await backUp(server, directory);
  addFile(directory, 'standby.signal');
  const { hostname, port, username } = new URL(server.url);
  const primary = `host=${hostname} port=${port} user=${username}`;
  fs.appendFileSync(path.join(directory, 'postgresql.auto.conf'), `primary_conninfo = '${primary}'\n`);
  return startServer(directory);
}

/** Waits until the standby has replayed everything that the server has written so far. */
export async function untilReplayed(server: TestDatabase, standby: TestDatabase): Promise<void> {
  const { lsn } = await oneRow(server, 'SELECT pg_current_wal_lsn()::text AS lsn');
  await untilReached(standby, 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS reached', [lsn]);
}

/** Waits for the standby, and then makes it miss everything that follows. */
export async function disconnect(server: TestDatabase, standby: TestDatabase): Promise<void> {
  await untilReplayed(server, standby);
  await standby.pool.query(`ALTER SYSTEM SET primary_conninfo = ''`);
  await standby.pool.query('SELECT pg_reload_conf()');
  await untilReached(server, 'SELECT count(*) = 0 AS reached FROM pg_stat_replication');
}

const untilReached = (of: TestDatabase, text: string, values: unknown[] = []) =>
  vi.waitFor(async () => expect((await oneRow(of, text, values)).reached).toBe(true), { timeout: 30_000 });

export const oneRow = async (
  { pool }: Pick<TestDatabase, 'pool'>,
  text: string,
  values: unknown[] = [],
): Promise<Record<string, unknown>> => (await pool.query(text, values)).rows[0];
