// Today's requests to each endpoint, the limit of its plan, and a forecast for the end of the day.

import { utcDay } from '@/lib/networks/endpoints/request-budget';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';

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
/** A shorter time says little about the rest of the day; the previous day says more. */
const LEAST_MS = 3_600_000;

type KnownUsage = {
  readonly units: number;
  /** Units of the previous day, if any. */
  readonly before: number | null;
  /** Milliseconds of the day that have passed. */
  readonly passedMs: number;
  /** Milliseconds in which `units` were used: less than `passedMs` on the endpoint's first day. */
  readonly measuredMs: number;
};

/** Units at the end of the day; null while too little is known. */
export function forecastOf({ units, before, passedMs, measuredMs }: KnownUsage): number | null {
  const leftMs = DAY_MS - passedMs;
  if (measuredMs >= LEAST_MS) return Math.round(units + (units * leftMs) / measuredMs);
  return before === null ? null : Math.round(units + (before * leftMs) / DAY_MS);
}

type UsageRow = Omit<EndpointUsage, 'forecast'> & { readonly before: number | null; readonly firstAt: Date | null };

/** Today's usage, one row per endpoint that had requests. */
export async function readUsage({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<readonly EndpointUsage[]> {
  const now = clock.now();
  const { rows } = await pool.query<UsageRow>({
    name: 'usage_read',
    text: `SELECT u.environment, u.network, u.position, u.calls::float8 AS calls, u.units, u.units_per_day AS "unitsPerDay",
        b.units AS before, u.first_at AS "firstAt"
      FROM endpoint_usage u LEFT JOIN endpoint_usage b ON b.environment = u.environment AND b.network = u.network
        AND b.position = u.position AND b.day = u.day - 1
      WHERE u.day = $1::date ORDER BY u.environment, u.network, u.position`,
    values: [utcDay(now)],
  });
  const passedMs = now.getTime() % DAY_MS;
  return rows.map(({ before, firstAt, ...row }) => {
    // A row from before this column existed covers the whole day.
    const measuredMs = firstAt === null ? passedMs : now.getTime() - firstAt.getTime();
    return { ...row, forecast: forecastOf({ units: row.units, before, passedMs, measuredMs }) };
  });
}
