// A separate database per test file, cloned from the migrated template in a few milliseconds.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { openPrisma } from '@/lib/platform/database/prisma';
import type { PrismaClient } from '@/prisma/generated/client';

export type TestDatabase = { url: string; pool: Pool; prisma: PrismaClient; close: () => Promise<void> };

/** Clones the template. Call it once per file and `close` it in `afterAll`. */
export async function openTestDatabase(connections = 10): Promise<TestDatabase> {
  const server = inject('databaseServer');
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Files are copied: the other way, every page goes through the write-ahead log, which takes five times as long.
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${inject('templateDatabase')} STRATEGY file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const pool = openPool(url.href, connections);
  // A test may need more connections at once than the product, on a machine that other tests use too.
  pool.options.connectionTimeoutMillis = 30_000;
  const prisma = await openPrisma(pool);
  const close = async () => {
    await prisma.$disconnect();
    await pool.end();
    await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  };
  return { url: url.href, pool, prisma, close };
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
