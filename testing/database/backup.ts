// A backup of a test's database, to restore it later as a database of its own.

import pg from 'pg';
import { inject } from 'vitest';
import { openPool } from '@/lib/platform/database/db';
import type { TestDatabase } from './database';

/** Copies a database. The server closes its connections first, because it cannot copy a database in use. */
export async function backUp({ url, prisma }: TestDatabase, connections = 10): Promise<TestDatabase> {
  const copy = new URL(url);
  const source = copy.pathname.slice(1);
  const name = `${source}_backup`;
  await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${source}'`);
  await onServer(`CREATE DATABASE ${name} TEMPLATE ${source}`);
  copy.pathname = `/${name}`;
  const pool = openPool(copy.href, connections);
  const close = async () => {
    await pool.end();
    await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return { url: copy.href, pool, prisma, close };
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseServer') });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
