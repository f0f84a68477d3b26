// Adds the sessions of each past day up by store, for the overview (lib/dashboard/payment/overview). When it returns, every total that no
// row of session_total_changes contradicts equals what a scan of the sessions gives. A trigger writes those rows (migration session_totals).

import type { Context, Step } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';

/** How soon the overview reads a changed day from its totals again. Until then it reads that day's sessions. */
export const TOTALS_MILLISECONDS = 60_000;
/** Two periods of 90 days, the longest that the overview shows. */
const DAYS = 181;
/** A transaction that began on a day may still change its sessions without leaving a row. None lasts an hour. */
const AFTER_END = `interval '1 hour'`;
/** Stores in one transaction. */
const STORES = 100;

type Day = { readonly environment: string; readonly day: string };
type OpenDay = Day & { readonly through_store: string; readonly is_done: boolean };

/** One day of some stores: the newest day that is missing, then those whose sessions changed later. */
export const rollUpSessions: Step = async ({ pool }: Pick<Context, 'pool'>) =>
  transaction(pool, async (tx) => {
    const missing = (await lockDay(tx, UNFINISHED)) ?? ((await addDays(tx)) ? await lockDay(tx, UNFINISHED) : null);
    if (missing) {
      const stores = await storesOf(tx, NEXT_STORES, [missing.through_store]);
      await addUp(tx, missing, stores);
      await tx.query({
        name: 'session-totals-through',
        text: `UPDATE session_total_days SET through_store = coalesce($3, through_store), is_done = $4
               WHERE environment = $1::"Environment" AND day = $2::date`,
        values: [missing.environment, missing.day, stores.at(-1) ?? null, stores.length < STORES],
      });
      return { more: true };
    }
    const changed = await lockDay(tx, CHANGED);
    if (!changed) return { more: false };
    await addUp(tx, changed, await storesOf(tx, CHANGED_STORES, [changed.environment, changed.day]));
    return { more: true };
  });

const DAY = `d.environment::text, d.day::text, d.through_store, d.is_done`;
const CHANGED = {
  name: 'session-totals-changed',
  text: `SELECT ${DAY} FROM session_total_days d WHERE EXISTS (SELECT FROM session_total_changes c
           WHERE c.environment = d.environment AND c.day = d.day AND (d.is_done OR c.store_id <= d.through_store))
         LIMIT 1 FOR UPDATE SKIP LOCKED`,
};
const UNFINISHED = {
  name: 'session-totals-unfinished',
  text: `SELECT ${DAY} FROM session_total_days d WHERE NOT is_done ORDER BY day DESC LIMIT 1 FOR UPDATE SKIP LOCKED`,
};

/** The lock makes the next statement's snapshot newer than every earlier total of the day. */
async function lockDay(tx: Tx, statement: { name: string; text: string }): Promise<OpenDay | null> {
  const { rows } = await tx.query<OpenDay>(statement);
  return rows[0] ?? null;
}

const hasSessions = (
  environment: string,
  day: string,
): string => `EXISTS (SELECT FROM sessions WHERE environment = ${environment}
  AND created_at >= ${day}::timestamp AT TIME ZONE 'UTC' AND created_at < (${day}::timestamp + interval '1 day') AT TIME ZONE 'UTC')`;

/**
 * Adds the days that have ended since; those without sessions need no more. Returns whether there were any. Rows about days that the
 * overview never reads go.
 */
async function addDays(tx: Tx): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'session-totals-days',
    text: `WITH wanted AS (
             SELECT e.environment, day::date FROM unnest(enum_range(NULL::"Environment")) AS e (environment),
               generate_series((now() AT TIME ZONE 'UTC')::date - ${DAYS},
                 ((now() - ${AFTER_END}) AT TIME ZONE 'UTC')::date - 1, interval '1 day') AS day),
           stale AS (DELETE FROM session_total_changes WHERE day < (now() AT TIME ZONE 'UTC')::date - ${DAYS})
           INSERT INTO session_total_days (environment, day, is_done)
           SELECT environment, day, NOT ${hasSessions('w.environment', 'w.day')} FROM wanted w WHERE NOT EXISTS (
             SELECT FROM session_total_days d WHERE d.environment = w.environment AND d.day = w.day)
           ON CONFLICT DO NOTHING`,
  });
  return rowCount !== 0;
}

const CHANGED_STORES = `SELECT DISTINCT store_id AS id FROM session_total_changes WHERE environment = $1::"Environment" AND day = $2::date
  ORDER BY 1 LIMIT ${STORES}`;
const NEXT_STORES = `SELECT id FROM stores WHERE id > $1 ORDER BY id LIMIT ${STORES}`;

async function storesOf(tx: Tx, text: string, values: unknown[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(text, values);
  return rows.map(({ id }) => id);
}

/** The second statement removes only the changes that its own sum contains: both read one snapshot. */
async function addUp(tx: Tx, { environment, day }: Day, stores: readonly string[]): Promise<void> {
  if (stores.length === 0) return;
  const values = [environment, day, stores];
  await tx.query({
    name: 'session-totals-remove',
    text: `DELETE FROM session_totals WHERE environment = $1::"Environment" AND day = $2::date AND store_id = ANY ($3)`,
    values,
  });
  await tx.query({
    name: 'session-totals-add-up',
    text: `WITH contained AS (DELETE FROM session_total_changes
             WHERE environment = $1::"Environment" AND day = $2::date AND store_id = ANY ($3))
           INSERT INTO session_totals (environment, store_id, day, status, network, currency, count, amount_due, amount_refunded)
           SELECT $1::"Environment", st.id, $2::date, s.status, s.network, s.currency, s.count, s.due, s.refunded
           FROM unnest($3::text[]) AS st (id) CROSS JOIN LATERAL (
             SELECT status, coalesce(completed_network, '') AS network, coalesce(completed_currency, '') AS currency, count(*) AS count,
               sum(amount_due) AS due, sum(amount_refunded) AS refunded
             FROM sessions WHERE store_id = st.id AND environment = $1::"Environment"
               AND created_at >= $2::timestamp AT TIME ZONE 'UTC' AND created_at < ($2::timestamp + interval '1 day') AT TIME ZONE 'UTC'
             GROUP BY 1, 2, 3) s`,
    values,
  });
}
