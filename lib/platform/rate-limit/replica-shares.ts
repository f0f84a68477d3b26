// What the replicas tell each other of their callers' use: one statement that adds this replica's use to everybody's, leaves word of
// what was asked of it, and reads what is asked of the others. Called by lib/platform/rate-limit/shared, never by a request.

import type { Pool } from '@/lib/platform/database/db';

/** What one replica has to tell of one caller. */
export type Told = {
  readonly caller: string;
  /** Milliseconds of the caller's rate that this replica has let through and not told of yet. */
  readonly used: number;
  /** The most milliseconds that its bucket may be short of full: what is beyond comes from a clock that was set. */
  readonly most: number;
  /** Requests a second that were asked of this replica, let through or not. */
  readonly asked: number;
};

/** What it hears of the same caller. */
export type Heard = {
  readonly caller: string;
  /** Milliseconds until the caller's bucket, as all replicas use it, would be full again; negative when it has been for long. */
  readonly untilFull: number;
  /** Requests a second that are asked of the other replicas, by replica. */
  readonly others: Readonly<Record<string, readonly [asked: number, at: number]>>;
};

/** Word that is older counts no more: its replica has stopped, or has no more requests of this caller. */
export const FRESH_MILLISECONDS = 3000;
/** Callers that nobody asked for are forgotten after this; every bucket is full again by then. */
const FORGOTTEN_MINUTES = 10;

// Sorted, so that two replicas lock the same rows in the same order. The database's own clock is everybody's, unless a test sets it.
const EXCHANGE = {
  name: 'exchange-rate-shares',
  text: `WITH clock AS MATERIALIZED (
           SELECT coalesce($2::float8, extract(epoch FROM clock_timestamp())::float8 * 1000) AS now),
         told AS (SELECT * FROM unnest($3::text[], $4::float8[], $5::float8[], $6::float8[]) AS t (caller, used, most, asked)),
         kept AS (
           INSERT INTO rate_shares AS r (caller, full_at, asked, seen_at)
           SELECT told.caller, clock.now + told.used, jsonb_build_object($1::text, jsonb_build_array(told.asked, clock.now)), now()
           FROM told, clock ORDER BY told.caller
           ON CONFLICT (caller) DO UPDATE SET
             full_at = least(greatest(r.full_at, (SELECT now FROM clock)) + excluded.full_at - (SELECT now FROM clock),
                             (SELECT clock.now + told.most FROM clock, told WHERE told.caller = excluded.caller)),
             asked = coalesce((SELECT jsonb_object_agg(o.key, o.value) FROM jsonb_each(r.asked) o
                               WHERE (o.value ->> 1)::float8 > (SELECT now FROM clock) - ${FRESH_MILLISECONDS}), '{}')
                     || excluded.asked,
             seen_at = now()
           RETURNING r.caller, r.full_at, r.asked)
         SELECT kept.caller, kept.full_at - clock.now AS "untilFull", kept.asked - $1::text AS others FROM kept, clock`,
};

/** Tells and hears. `now`: Unix milliseconds that stand for the database's clock; null for its own. */
export async function exchangeShares(
  pool: Pick<Pool, 'query'>,
  replica: string,
  { told, now }: { told: readonly Told[]; now: number | null },
): Promise<Heard[]> {
  const values = [
    replica,
    now,
    told.map(({ caller }) => caller),
    told.map(({ used }) => used),
    told.map(({ most }) => most),
    told.map(({ asked }) => asked),
  ];
  const { rows } = await pool.query<Heard>({ ...EXCHANGE, values });
  return rows;
}

/** Forgets callers that were not heard of for long. */
export const forgetShares = (pool: Pick<Pool, 'query'>): Promise<unknown> =>
  pool.query(`DELETE FROM rate_shares WHERE seen_at < now() - interval '${FORGOTTEN_MINUTES} minutes'`);
