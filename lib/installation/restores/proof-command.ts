// What `stabletill restore --verify` does with the two databases, bundled for scripts/stabletill/restore.mjs: the running
// database says how far it is and keeps the proof, and the restored copy is checked.

import { openPool, type Pool } from '@/lib/platform/database/db';
import { checkRestored, nextPosition, type RestoreCheck } from './checks';
import { storeProof, type RestoreProof } from './proofs';

const CONNECTIONS = 1;

/** How far the running database is. */
export const positionOf = (databaseUrl: string): Promise<bigint> => withPool(databaseUrl, nextPosition);

export const checkCopy = (databaseUrl: string, live: bigint): Promise<RestoreCheck[]> =>
  withPool(databaseUrl, (pool) => checkRestored(pool, live));

export const keepProof = (databaseUrl: string, proof: RestoreProof): Promise<void> =>
  withPool(databaseUrl, (pool) => storeProof(pool, proof));

async function withPool<T>(databaseUrl: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool(databaseUrl, CONNECTIONS);
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
