// Since when this installation has looked at its sessions without a long break. How long a network has not answered is counted only
// while somebody asked it: after a stop of the worker, the database or the machine, and after a jump of the clock, it counts anew.

import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';

/** Workers note that they are there this often, and their clocks differ by less. */
const NOTED_EVERY_MS = 10_000;
const CLOCKS_DIFFER_MS = 60_000;
/** A break is longer than this, or than this part of the hold: hosts of /api/cron call every few minutes. */
const LEAST_BREAK_MS = 60_000;
const BREAKS_PART = 4;

type Row = { since: Date; seen_at: Date };

/**
 * Notes that sessions are looked at now. Answers how long after its expiry a session waits for a network that does not answer:
 * EXPIRY_HOLD_SECONDS, or without end while sessions have not been looked at for so long.
 */
export async function holdSecondsAt({ pool, config }: Pick<Context, 'pool' | 'config'>, now: Date): Promise<number> {
  const holdSeconds = config.EXPIRY_HOLD_SECONDS;
  const since = await awakeSince(pool, { now, holdSeconds });
  return since.getTime() <= now.getTime() - holdSeconds * 1000 ? holdSeconds : Number.POSITIVE_INFINITY;
}

async function awakeSince(pool: Pool, { now, holdSeconds }: { now: Date; holdSeconds: number }): Promise<Date> {
  const { rows } = await pool.query<Row>({ name: 'expiry-watch', text: 'SELECT since, seen_at FROM expiry_watch' });
  const [row] = rows;
  const passed = row ? now.getTime() - row.seen_at.getTime() : Number.POSITIVE_INFINITY;
  const longest = Math.max(LEAST_BREAK_MS, (holdSeconds * 1000) / BREAKS_PART);
  const goesOn = passed > -CLOCKS_DIFFER_MS && passed <= longest;
  const since = row && goesOn ? row.since : now;
  if (goesOn && passed < NOTED_EVERY_MS) return since;
  await pool.query({
    name: 'expiry-watch-note',
    text: `INSERT INTO expiry_watch (since, seen_at) VALUES ($1, $2)
           ON CONFLICT (id) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at`,
    values: [since, now],
  });
  return since;
}
