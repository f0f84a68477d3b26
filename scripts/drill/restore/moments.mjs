// The moments that the drill waits for in the database: the middle of refunds and payouts, an archived log, and nothing left to do.

import { setTimeout as sleep } from 'node:timers/promises';
import { advanceTime } from '../../crash/campaign.mjs';
import { inDatabase } from '../../crash/database.mjs';

/** On TRON and Solana a restored worker waits ten minutes before it drafts. */
const SETTLE_LIMIT_MS = 900_000;
/** In the middle: some are completed, and some are signed and not final. */
const LEAST_COMPLETED = 5;
const LOAD_LIMIT_MS = 300_000;

/** The time at which refunds and payouts are completed, signed and waiting at once. */
export async function middleOf({ dataDir, seconds }) {
  await sleep(seconds * 1000);
  for (const end = Date.now() + LOAD_LIMIT_MS; Date.now() < end; await sleep(300)) {
    const [row] = await inDatabase(dataDir, (query) =>
      query(
        `SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.USZ') AS time,
           count(*) FILTER (WHERE p.status = 'completed')::int AS completed, count(*) FILTER (WHERE p.status = 'processing')::int AS open,
           count(*) FILTER (WHERE p.status = 'processing' AND EXISTS
             (SELECT FROM refund_attempts a WHERE a.intent_id = p.id AND a.hash IS NOT NULL AND a.ended_at IS NULL))::int AS signed
         FROM (SELECT id, status::text FROM refunds UNION ALL SELECT id, status::text FROM payouts) p`,
      ),
    );
    if (row.completed >= LEAST_COMPLETED && row.signed > 0) return row;
  }
  throw new Error('No moment came with refunds completed and refunds signed.');
}

/** Waits until the log of everything so far is archived. */
export async function archivedUpTo(dataDir) {
  return inDatabase(dataDir, async (query) => {
    const [{ wal }] = await query('SELECT pg_walfile_name(pg_switch_wal()) AS wal');
    for (const end = Date.now() + LOAD_LIMIT_MS; Date.now() < end; await sleep(500)) {
      const [row] = await query('SELECT last_archived_wal AS last FROM pg_stat_archiver');
      if (row.last >= wal) return `archived up to ${row.last}`;
    }
    throw new Error('The log was not archived.');
  });
}

/** Waits until no refund and no payout is open, or the time is up. */
export async function settled(dataDir) {
  for (const end = Date.now() + SETTLE_LIMIT_MS; Date.now() < end; await sleep(1000)) {
    const [{ open }] = await inDatabase(dataDir, (query) =>
      query(
        `SELECT (SELECT count(*) FROM refunds WHERE status IN ('pending', 'processing'))::int
           + (SELECT count(*) FROM payouts WHERE status IN ('pending', 'processing'))::int AS open`,
      ),
    );
    if (open === 0) return;
    await advanceTime(dataDir);
  }
}
