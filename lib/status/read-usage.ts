// What was asked of each endpoint today, what its plan allows, and what the day will come to if it goes on like this.

import { utcDay } from '@/lib/chains/request-budget';
import type { Context } from '@/lib/context';
import type { Environment } from '@/lib/ids';

export type EndpointUsage = {
  readonly environment: Environment;
  readonly network: string;
  readonly position: number;
  readonly calls: number;
  /** In the units of the endpoint's plan. */
  readonly units: number;
  readonly unitsPerDay: number | null;
  /** Units at the end of the day; null while too little is known. */
  readonly forecast: number | null;
};

const DAY_MS = 86_400_000;
/** Less of a day says little about the rest of it; the day before says more. */
const LEAST_MS = 3_600_000;

/** Units at the end of a day of which so much has passed. `before`: units of the day before, if any. */
export function forecastOf({ units, before, passedMs }: { units: number; before: number | null; passedMs: number }) {
  if (passedMs >= LEAST_MS) return Math.round((units * DAY_MS) / passedMs);
  if (before === null) return null;
  return Math.round(units + (before * (DAY_MS - passedMs)) / DAY_MS);
}

/** Today's usage, one row per endpoint that was asked today. */
export async function readUsage({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<readonly EndpointUsage[]> {
  const now = clock.now();
  const { rows } = await pool.query<Omit<EndpointUsage, 'forecast'> & { before: number | null }>({
    name: 'usage_read',
    text: `SELECT u.environment, u.network, u.position, u.calls::float8 AS calls, u.units, u.units_per_day AS "unitsPerDay",
        b.units AS before
      FROM endpoint_usage u LEFT JOIN endpoint_usage b ON b.environment = u.environment AND b.network = u.network
        AND b.position = u.position AND b.day = u.day - 1
      WHERE u.day = $1::date ORDER BY u.environment, u.network, u.position`,
    values: [utcDay(now)],
  });
  const passedMs = now.getTime() % DAY_MS;
  return rows.map(({ before, ...row }) => ({ ...row, forecast: forecastOf({ units: row.units, before, passedMs }) }));
}
