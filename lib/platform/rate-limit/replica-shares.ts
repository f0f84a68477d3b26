// The usage reports that replicas exchange about their callers. One statement adds this replica's use to the shared total,
// stores how many requests it received, and reads what the other replicas received. Only lib/platform/rate-limit/shared calls
// it, never a request.

import type { Pool } from '@/lib/platform/database/db';

/** What one replica reports about one caller. */
export type UsageReport = {
  readonly caller: string;
  /** Milliseconds of the caller's rate that this replica has let through and not reported yet. */
  readonly used: number;
  /** The most milliseconds that its bucket may be short of full. More than that comes from a clock that was set. */
  readonly most: number;
  /** Requests a second that this replica received, let through or not. */
  readonly requested: number;
};

/** What a replica reads about the same caller. */
export type SharedUsage = {
  readonly caller: string;
  /**
   * Milliseconds until the caller's bucket, as all replicas use it, would be full again. Negative when it has long been full.
   */
  readonly untilFull: number;
  /** Requests a second that the other replicas receive, by replica. */
  readonly others: Readonly<Record<string, readonly [requested: number, at: number]>>;
};

/** Older reports do not count: their replica has stopped, or has no more requests of this caller. */
const FRESH_MILLISECONDS = 3000;
/** Callers without requests are deleted after this time; every bucket is full again by then. */
const FORGOTTEN_MINUTES = 10;

// Sorted, so that two replicas lock the same rows in the same order. All replicas use the database's clock, unless a test sets
// another.
const EXCHANGE = {
  name: 'exchange-rate-shares',
  text: `WITH clock AS MATERIALIZED (
           SELECT coalesce($2::float8, extract(epoch FROM clock_timestamp())::float8 * 1000) AS now),
         report AS (SELECT * FROM unnest($3::text[], $4::float8[], $5::float8[], $6::float8[]) AS t (caller, used, most, requested)),
         kept AS (
           INSERT INTO rate_shares AS r (caller, full_at, asked, seen_at)
           SELECT report.caller, clock.now + report.used, jsonb_build_object($1::text, jsonb_build_array(report.requested, clock.now)), now()
           FROM report, clock ORDER BY report.caller
           ON CONFLICT (caller) DO UPDATE SET
             full_at = least(greatest(r.full_at, (SELECT now FROM clock)) + excluded.full_at - (SELECT now FROM clock),
                             (SELECT clock.now + report.most FROM clock, report WHERE report.caller = excluded.caller)),
             asked = coalesce((SELECT jsonb_object_agg(o.key, o.value) FROM jsonb_each(r.asked) o
                               WHERE (o.value ->> 1)::float8 > (SELECT now FROM clock) - ${FRESH_MILLISECONDS}), '{}')
                     || excluded.asked,
             seen_at = now()
           RETURNING r.caller, r.full_at, r.asked)
         SELECT kept.caller, kept.full_at - clock.now AS "untilFull", kept.asked - $1::text AS others FROM kept, clock`,
};

/**
 * Stores this replica's reports and reads the shared usage. `now`: Unix milliseconds that replace the database's clock; null to
 * use it.
 */
export async function exchangeShares(
  pool: Pick<Pool, 'query'>,
  replica: string,
  { reports, now }: { reports: readonly UsageReport[]; now: number | null },
): Promise<SharedUsage[]> {
  const values = [
    replica,
    now,
    reports.map(({ caller }) => caller),
    reports.map(({ used }) => used),
    reports.map(({ most }) => most),
    reports.map(({ requested }) => requested),
  ];
  const { rows } = await pool.query<SharedUsage>({ ...EXCHANGE, values });
  return rows;
}

/** Deletes callers that no replica has reported for long. */
export const forgetShares = (pool: Pick<Pool, 'query'>): Promise<unknown> =>
  pool.query(`DELETE FROM rate_shares WHERE seen_at < now() - interval '${FORGOTTEN_MINUTES} minutes'`);
