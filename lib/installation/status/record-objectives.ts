// Stores what this process counted for and against the service objectives, in the row of the hour. A process without anything to tell
// writes nothing. Counts that cannot be stored wait for the next run; a process that ends suddenly loses its last seconds.

import type { Context } from '@/lib/platform/context';
import { returnObjectives, takeObjectives } from '@/lib/platform/metrics/objectives';

export const OBJECTIVES_MILLISECONDS = 15_000;
/** Objectives look at 30 days. */
const KEPT_DAYS = 35;

export async function recordObjectives({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<{ more: boolean }> {
  const taken = takeObjectives();
  if (taken.length === 0) return { more: false };
  try {
    await pool.query({
      name: 'objectives-record',
      text: `WITH gone AS (DELETE FROM objective_hours WHERE hour < $1::timestamptz - interval '${KEPT_DAYS} days')
        INSERT INTO objective_hours AS o (objective, hour, good, bad)
        SELECT objective, date_trunc('hour', $1::timestamptz, 'UTC'), good, bad
        FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS counted (objective, good, bad) ORDER BY objective
        ON CONFLICT (objective, hour) DO UPDATE SET good = o.good + EXCLUDED.good, bad = o.bad + EXCLUDED.bad`,
      values: [
        clock.now(),
        taken.map(({ objective }) => objective),
        taken.map(({ good }) => good),
        taken.map(({ bad }) => bad),
      ],
    });
  } catch (error) {
    returnObjectives(taken);
    throw error;
  }
  return { more: false };
}
