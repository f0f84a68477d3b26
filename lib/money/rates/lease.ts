// Leases of the due rate sources. A lease sets an expiry and an epoch in the database, and every later write requires that epoch. So
// any number of workers share the sources.

import type { Db, Tx } from '@/lib/platform/database/db';
import type { SourceName } from './providers/provider';

export type Lease = { readonly source: SourceName; readonly epoch: number; readonly failures: number };

/** Longer than a request with its timeout and the write. */
const LEASE_MILLISECONDS = 15_000;

/** Creates missing rows of sources. */
export async function addMissingSources(db: Db, sources: readonly SourceName[]): Promise<void> {
  await db.query({
    name: 'know-rate-sources',
    text: `INSERT INTO rate_sources (source, next_at) SELECT name, 'epoch' FROM unnest($1::text[]) AS name ON CONFLICT DO NOTHING`,
    values: [sources],
  });
}

/** Clocks of workers may differ by this much. */
const AHEAD_MILLISECONDS = 60_000;

/**
 * Leases the due sources. A source with a response time in the future is due too: the clock was set back. Its prices would be refused until
 * the old time is reached again, and would then count as fresh although they are old.
 */
export async function leaseSources(db: Db, sources: readonly SourceName[], now: Date): Promise<Lease[]> {
  const { rows } = await db.query<Lease>({
    name: 'claim-rate-sources',
    text: `UPDATE rate_sources s SET epoch = s.epoch + 1, next_at = $3,
             answered_at = CASE WHEN s.answered_at > $2 THEN $2 ELSE s.answered_at END
           FROM (SELECT source FROM rate_sources WHERE source = ANY($1) AND (next_at <= $2 OR answered_at > $4)
                 FOR UPDATE SKIP LOCKED) due
           WHERE s.source = due.source RETURNING s.source, s.epoch, s.failures`,
    values: [sources, now, new Date(now.getTime() + LEASE_MILLISECONDS), new Date(now.getTime() + AHEAD_MILLISECONDS)],
  });
  return rows;
}

/** Locks the source for the rest of the transaction; false when the lease was lost. */
export async function holdsLease(tx: Tx, { source, epoch }: Lease): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'keep-rate-source',
    text: 'SELECT FROM rate_sources WHERE source = $1 AND epoch = $2 FOR UPDATE',
    values: [source, epoch],
  });
  return rowCount === 1;
}

/** Releases the lease after a response; the source is due again at `nextAt`. */
export async function recordResponse(tx: Tx, { source, epoch }: Lease, at: { now: Date; nextAt: Date }): Promise<void> {
  await tx.query({
    name: 'note-rate-answer',
    text: `UPDATE rate_sources SET answered_at = $3, next_at = $4, failures = 0, trouble = NULL WHERE source = $1 AND epoch = $2`,
    values: [source, epoch, at.now, at.nextAt],
  });
}

/** Releases the lease after a failure; the source is due again at `nextAt`. */
export async function recordFailure(
  db: Db,
  { source, epoch }: Lease,
  at: { trouble: string; nextAt: Date },
): Promise<void> {
  await db.query({
    name: 'note-rate-trouble',
    text: `UPDATE rate_sources SET failures = failures + 1, trouble = $3, next_at = $4 WHERE source = $1 AND epoch = $2`,
    values: [source, epoch, at.trouble, at.nextAt],
  });
}
