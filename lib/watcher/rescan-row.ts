// The row by which the re-scan of a chain takes turns and remembers how far it is. One process at a time has the turn; what a
// process that lost its turn learned is not written.

import type { Pool } from '@/lib/db';
import { startPace, type Pace } from './window';

export type Rescan = {
  readonly chainId: number;
  readonly epoch: number;
  /** The last block read; null before the first re-scan. */
  readonly readThrough: number | null;
  /** The final block at which the run in progress ends; null between runs. */
  readonly goal: number | null;
  readonly pace: Pace;
};

/** After a chain is taken up the first re-scan waits for the watcher to have caught up. */
const FIRST_SECONDS = 300;
/** A process that is silent for so long has lost its turn. */
const TURN_SECONDS = 120;

/** Takes the turn; null while it is another's, or not due. */
export async function takeRescan(pool: Pool, chainId: number, now: Date): Promise<Rescan | null> {
  const { rows } = await pool.query<Columns>({
    name: 'rescan-turn',
    text: `INSERT INTO rescans AS r (chain_id, next_at) VALUES ($1, $2::timestamptz + interval '${FIRST_SECONDS} seconds')
           ON CONFLICT (chain_id) DO UPDATE SET epoch = r.epoch + 1,
             next_at = $2::timestamptz + interval '${TURN_SECONDS} seconds' WHERE r.next_at <= $2
           RETURNING epoch, read_through, goal, pace`,
    values: [chainId, now],
  });
  const [row] = rows;
  // The row that was just made is due later.
  if (!row || row.epoch === 0) return null;
  return {
    chainId,
    epoch: row.epoch,
    readThrough: row.read_through === null ? null : Number(row.read_through),
    goal: row.goal === null ? null : Number(row.goal),
    pace: row.pace ? { ...row.pace, ceiling: row.pace.ceiling ?? Number.POSITIVE_INFINITY } : startPace,
  };
}

/** Ends the turn. */
export async function endRescan(pool: Pool, rescan: Rescan, nextAt: Date): Promise<void> {
  const { chainId, epoch, readThrough, goal, pace } = rescan;
  await pool.query({
    name: 'rescan-turn-end',
    text: `UPDATE rescans SET next_at = $3, read_through = $4, goal = $5, pace = $6::jsonb
           WHERE chain_id = $1 AND epoch = $2`,
    // JSON has no infinity; it becomes null.
    values: [chainId, epoch, nextAt, readThrough, goal, JSON.stringify(pace)],
  });
}

type Columns = {
  epoch: number;
  read_through: string | null;
  goal: string | null;
  pace: (Omit<Pace, 'ceiling'> & { ceiling: number | null }) | null;
};
