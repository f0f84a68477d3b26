// Tracks since when workers have checked the sessions without a long break. The outage of a network counts only while workers sent requests
// to it. After a stop of the worker, the database or the machine, or a clock jump, the time starts at zero again.

import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';

/** Workers record a heartbeat this often, and their clocks differ by less than CLOCKS_DIFFER_MS. */
const HEARTBEAT_MS = 10_000;
const CLOCKS_DIFFER_MS = 60_000;
/** A break is longer than this, and longer than this fraction of the hold, because hosts call /api/cron only every few minutes. */
const LEAST_BREAK_MS = 60_000;
const BREAKS_PART = 4;

type Row = { since: Date; seen_at: Date };

/**
 * Records a heartbeat. Returns how long after its expiry a session waits for a network that does not respond: EXPIRY_HOLD_SECONDS, or
 * infinity until workers have run for that long without a break.
 */
export async function holdSecondsAt({ pool, config }: Pick<Context, 'pool' | 'config'>, now: Date): Promise<number> {
  const holdSeconds = config.EXPIRY_HOLD_SECONDS;
  const since = await unbrokenSince(pool, { now, holdSeconds });
  return since.getTime() <= now.getTime() - holdSeconds * 1000 ? holdSeconds : Number.POSITIVE_INFINITY;
}

async function unbrokenSince(pool: Pool, { now, holdSeconds }: { now: Date; holdSeconds: number }): Promise<Date> {
  const { rows } = await pool.query<Row>({ name: 'expiry-watch', text: 'SELECT since, seen_at FROM expiry_watch' });
  const [row] = rows;
  const passed = row ? now.getTime() - row.seen_at.getTime() : Number.POSITIVE_INFINITY;
  const longest = Math.max(LEAST_BREAK_MS, (holdSeconds * 1000) / BREAKS_PART);
  const isUnbroken = passed > -CLOCKS_DIFFER_MS && passed <= longest;
  const since = row && isUnbroken ? row.since : now;
  if (isUnbroken && passed < HEARTBEAT_MS) return since;
  await pool.query({
    name: 'expiry-watch-note',
    text: `INSERT INTO expiry_watch (since, seen_at) VALUES ($1, $2)
           ON CONFLICT (id) DO UPDATE SET since = excluded.since, seen_at = excluded.seen_at`,
    values: [since, now],
  });
  return since;
}
