// The worker's step for security events: stores this process's counts and deletes old ones.

import type { Context } from '@/lib/platform/context';
import { flushSecurityEvents } from '@/lib/platform/security/events';

/** Counts older than this are deleted; the page shows seven days. */
const KEPT_DAYS = 14;
const CLEARED_AT_ONCE = 10_000;

export async function maintainSecurityCounts(context: Context): Promise<{ more: boolean }> {
  await flushSecurityEvents(context);
  const now = context.clock.now();
  const { rowCount } = await context.pool.query({
    name: 'security-clear',
    text: `DELETE FROM security_counts WHERE (hour, kind, sort, subject) IN (SELECT hour, kind, sort, subject FROM security_counts
             WHERE hour < $1::timestamptz - interval '${KEPT_DAYS} days' LIMIT ${CLEARED_AT_ONCE})`,
    values: [now],
  });
  return { more: rowCount === CLEARED_AT_ONCE };
}
