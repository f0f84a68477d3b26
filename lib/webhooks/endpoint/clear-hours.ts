// A step of the worker that deletes hourly endpoint statistics that no chart shows any more.

import type { Context } from '@/lib/platform/context';
import { MAX_HOURS } from './health';

const HOUR = 3_600_000;
/** A day longer than the longest chart, so that none ever has a gap at its beginning. */
const KEPT_HOURS = MAX_HOURS + 24;
/** Rows per deletion, far below the statement's time limit. */
const CLEARED_AT_ONCE = 20_000;

export async function clearWebhookHours({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<{ more: boolean }> {
  const { rowCount } = await pool.query(
    `DELETE FROM webhook_hours WHERE ctid = ANY (ARRAY(SELECT ctid FROM webhook_hours WHERE hour < $1 LIMIT ${CLEARED_AT_ONCE}))`,
    [new Date(clock.now().getTime() - KEPT_HOURS * HOUR)],
  );
  return { more: rowCount === CLEARED_AT_ONCE };
}
