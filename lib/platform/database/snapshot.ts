// A connection on which every query reads the same state, for files that are written while a client downloads them. A
// client decides how fast it reads, so the snapshot ends by itself: a slow client must not keep a connection of the pool,
// nor old rows from being vacuumed.

import type pg from 'pg';
import { limitAnswer, type Db, type Pool } from './db';

/** Milliseconds. `idle`: between two queries. `whole`: from the first query to the last. */
export type SnapshotLimits = { readonly idle: number; readonly whole: number };

/** A query after the end throws. `end` may be called several times. */
export type Snapshot = { readonly db: Db; readonly end: () => Promise<void> };

/** Read-only and REPEATABLE READ. The caller ends it in a `finally`. */
export async function openSnapshot(pool: Pool, limits: SnapshotLimits): Promise<Snapshot> {
  const client = await pool.connect();
  let ended: Error | null = null;
  let idle: NodeJS.Timeout | undefined;
  const stop = (reason: Error, isBroken: boolean): void => {
    if (ended) return;
    ended = reason;
    clearTimeout(idle);
    clearTimeout(whole);
    client.off('error', lost);
    client.release(isBroken ? reason : undefined);
  };
  const lost = (error: Error): void => stop(error, true);
  client.on('error', lost);
  const late = (): void => stop(new Error('the reader of a snapshot was too slow'), true);
  const whole = setTimeout(late, limits.whole);
  // A statement of a snapshot may take longer than others; `whole` ends it.
  limitAnswer(client, limits.whole);

  const query = async (...given: unknown[]): Promise<unknown> => {
    if (ended) throw ended;
    clearTimeout(idle);
    try {
      return await (client.query as (...args: unknown[]) => Promise<unknown>)(...given);
    } finally {
      if (!ended) idle = setTimeout(late, limits.idle);
    }
  };
  const end = async (): Promise<void> => {
    if (ended) return;
    clearTimeout(idle);
    const failed = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    );
    stop(new Error('the snapshot has ended'), failed);
  };
  try {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  } catch (error) {
    stop(error as Error, true);
    throw error;
  }
  return { db: { query: query as pg.ClientBase['query'] }, end };
}
