// The worker's step for security events: stores this process's counts, mails the operators when a kind reaches its number an
// hour, and forgets old counts.

import type { Context } from '@/lib/context';
import { transaction, type Tx } from '@/lib/db';
import { mailOperators } from '@/lib/mail/operators';
import { flushSecurityEvents } from '@/lib/security-events';
import { ALARM_AT, SECURITY_KINDS } from '@/lib/security-kinds';

/** One mail about a kind within this time: an attack lasts for hours, and the page shows how it goes on. */
const ALARM_EVERY_HOURS = 6;
/** Counts older than this are deleted; the page shows seven days. */
const KEPT_DAYS = 14;
const CLEARED_AT_ONCE = 10_000;

export async function tendSecurity(context: Context): Promise<{ more: boolean }> {
  await flushSecurityEvents(context);
  const now = context.clock.now();
  await transaction(context.pool, (tx) => alarm(context, tx, now));
  const { rowCount } = await context.pool.query({
    name: 'security-clear',
    text: `DELETE FROM security_counts WHERE (hour, kind, sort, subject) IN (SELECT hour, kind, sort, subject FROM security_counts
             WHERE hour < $1::timestamptz - interval '${KEPT_DAYS} days' LIMIT ${CLEARED_AT_ONCE})`,
    values: [now],
  });
  return { more: rowCount === CLEARED_AT_ONCE };
}

/** The former hour is looked at too: its last counts were stored after it ended. */
async function alarm(context: Context, tx: Tx, now: Date): Promise<void> {
  const limits = SECURITY_KINDS.flatMap((kind) => (ALARM_AT[kind] === null ? [] : [{ kind, least: ALARM_AT[kind] }]));
  const { rows } = await tx.query<{ kind: string; count: string }>({
    name: 'security-alarm',
    text: `UPDATE security_counts s SET alarmed_at = $1
           FROM unnest($2::text[], $3::bigint[]) AS l (kind, least)
           WHERE s.sort = 'all' AND s.kind = l.kind AND s.count >= l.least AND s.alarmed_at IS NULL
             AND s.hour > $1::timestamptz - interval '2 hours'
             AND NOT EXISTS (SELECT FROM security_counts e WHERE e.sort = 'all' AND e.kind = s.kind
               AND e.hour > $1::timestamptz - interval '${ALARM_EVERY_HOURS + 2} hours'
               AND e.alarmed_at > $1::timestamptz - interval '${ALARM_EVERY_HOURS} hours')
           RETURNING s.kind, s.count::text AS count`,
    values: [now, limits.map(({ kind }) => kind), limits.map(({ least }) => least)],
  });
  if (rows.length === 0) return;
  context.log.error({ counts: rows }, 'security events reached their alarm: the operators are mailed');
  const count = String(rows.reduce((sum, row) => sum + BigInt(row.count), 0n));
  await mailOperators(context, tx, { kind: 'SecurityAlarm', path: '/operator/security', count, now });
}
