// Stores this process's requests to each endpoint and reads the total of all processes for today. Counts that cannot be stored
// wait for the next run. A process that ends loses its last few seconds.

import { openedBudgets } from '@/lib/networks/endpoints/budgets';
import type { Context } from '@/lib/platform/context';

/** How often usage is stored. Another process's usage may be this old where a daily budget is applied. */
export const USAGE_MILLISECONDS = 5000;
/** Days for which usage is stored. */
const KEPT_DAYS = 30;

/** Stores the usage of every endpoint that this process has opened. */
export async function recordUsage({ pool, config, clock }: Pick<Context, 'pool' | 'config' | 'clock'>) {
  const used = openedBudgets(config).flatMap((endpoint) => {
    const usage = endpoint.budget.takeUnstored();
    return usage.length === 0 ? [] : [{ endpoint, usage }];
  });
  const rows = used.flatMap(({ endpoint, usage }) => usage.map((one) => ({ ...endpoint, ...one })));
  if (rows.length === 0) return { more: false };
  try {
    const stored = await pool.query<{
      environment: string;
      network: string;
      position: number;
      day: string;
      units: number;
    }>({
      name: 'usage_record',
      text: `WITH gone AS (DELETE FROM endpoint_usage WHERE day < ($8::timestamptz AT TIME ZONE 'UTC')::date - ${KEPT_DAYS})
        INSERT INTO endpoint_usage AS u (environment, network, position, day, calls, units, units_per_day, first_at)
        SELECT *, $8::timestamptz FROM unnest($1::"Environment"[], $2::text[], $3::int[], $4::date[], $5::bigint[], $6::float8[], $7::float8[])
        ON CONFLICT (environment, network, position, day) DO UPDATE SET calls = u.calls + EXCLUDED.calls,
          units = u.units + EXCLUDED.units, units_per_day = EXCLUDED.units_per_day
        RETURNING environment, network, position, day::text, units`,
      values: [
        rows.map(({ environment }) => environment),
        rows.map(({ network }) => network),
        rows.map(({ position }) => position),
        rows.map(({ day }) => day),
        rows.map(({ calls }) => calls),
        rows.map(({ units }) => units),
        rows.map(({ budget }) => budget.limits.perDay),
        clock.now(),
      ],
    });
    for (const row of stored.rows) {
      const isIt = ({ endpoint: one }: (typeof used)[number]) =>
        one.environment === row.environment && one.network === row.network && one.position === row.position;
      used.find(isIt)?.endpoint.budget.noteStored(row.day, row.units);
    }
  } catch (error) {
    for (const { endpoint, usage } of used) endpoint.budget.returnUsage(usage);
    throw error;
  }
  return { more: false };
}
