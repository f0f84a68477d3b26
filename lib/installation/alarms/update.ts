// Updates the table of alarms to the current facts: opens new alarms and closes those that are gone. Any number of workers may
// run it concurrently.

import type { Db } from '@/lib/platform/database/db';
import { ALARM_KINDS, type Fact } from './kinds';

/** An alarm closes when no run has seen it for this long, so that a flickering one is a single alarm. */
const CLOSE_AFTER_SECONDS = 60;
/** Operators are notified of new rows of an open alarm at most this often: a flood is one mail an hour. */
const NEWS_EVERY_SECONDS = 3600;
const KEPT_DAYS = 90;
const CLEARED_AT_ONCE = 1000;

/** A row may be older than rows that were counted before it. */
const IS_NEWS = `(EXCLUDED.newest_at > a.newest_at OR (EXCLUDED.newest_at IS NOT NULL AND EXCLUDED.count > a.count))`;

/** `isWhole`: every source was read, so an alarm that is not among the facts may close. */
type Reading = { readonly now: Date; readonly isWhole: boolean };

/** New rows void an acknowledgement, because the operator who gave it did not see them. */
export async function updateAlarms(db: Db, facts: readonly Fact[], { now, isWhole }: Reading): Promise<void> {
  if (facts.length > 0) await openAlarms(db, facts, now);
  if (!isWhole) return;
  const gone = `closed_at IS NULL AND last_seen_at <= $1::timestamptz - interval '${CLOSE_AFTER_SECONDS} seconds'`;
  // Operators are mailed when a critical alarm closes; the console shows that others have closed. An alarm of which operators were never
  // notified is deleted.
  await db.query({
    name: 'alarms-close',
    text: `WITH unnotified AS (DELETE FROM alarms WHERE ${gone} AND notified_at IS NULL),
             cleared AS (DELETE FROM alarms WHERE id IN (SELECT id FROM alarms
               WHERE closed_at < $1::timestamptz - interval '${KEPT_DAYS} days' LIMIT ${CLEARED_AT_ONCE}))
           UPDATE alarms SET closed_at = $1, next_notification_at = CASE severity WHEN 'critical' THEN $1::timestamptz END
           WHERE ${gone} AND notified_at IS NOT NULL`,
    values: [now],
  });
}

/** Opens an alarm for each fact, or notes that the open one was seen again. */
async function openAlarms(db: Db, facts: readonly Fact[], now: Date): Promise<void> {
  await db.query({
    name: 'alarms-open',
    text: `INSERT INTO alarms AS a (kind, subject, severity, count, newest_at, opened_at, last_seen_at, next_notification_at)
           SELECT kind, subject, severity, count, newest_at, $1, $1, $1::timestamptz + after_seconds * interval '1 second'
           FROM unnest($2::text[], $3::text[], $4::text[], $5::int[], $6::timestamptz[], $7::int[])
             AS f (kind, subject, severity, count, newest_at, after_seconds)
           ON CONFLICT (kind, subject) WHERE closed_at IS NULL DO UPDATE SET
             severity = EXCLUDED.severity, count = EXCLUDED.count, last_seen_at = greatest(a.last_seen_at, EXCLUDED.last_seen_at),
             newest_at = greatest(a.newest_at, EXCLUDED.newest_at),
             acknowledged_at = CASE WHEN ${IS_NEWS} THEN NULL ELSE a.acknowledged_at END,
             acknowledged_by = CASE WHEN ${IS_NEWS} THEN NULL ELSE a.acknowledged_by END,
             next_notification_at = CASE WHEN ${IS_NEWS} AND a.notified_at IS NOT NULL
               THEN greatest($1::timestamptz, a.notified_at + interval '${NEWS_EVERY_SECONDS} seconds') ELSE a.next_notification_at END`,
    values: [
      now,
      facts.map(({ kind }) => kind),
      facts.map(({ subject }) => subject),
      facts.map(({ severity }) => severity),
      facts.map(({ count }) => count),
      facts.map(({ newestAt }) => newestAt),
      facts.map(({ kind }) => ALARM_KINDS[kind].afterSeconds),
    ],
  });
}
