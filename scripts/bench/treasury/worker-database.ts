// A migrated database of its own for the worker's steps, on a PostgreSQL that keeps every commit, as an installation has it.

import { openPool } from '@/lib/platform/database/db';
import { openPrisma } from '@/lib/platform/database/prisma';
import type { TestDatabase } from '@/testing/database/database';

const CONNECTIONS = 10;

export async function openWorkerDatabase(url: string): Promise<TestDatabase> {
  const pool = openPool(url, CONNECTIONS);
  const prisma = await openPrisma(pool);
  const close = async (): Promise<void> => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { url, pool, prisma, close };
}
