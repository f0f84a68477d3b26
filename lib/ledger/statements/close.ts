// Closes ended months: hashes the statement of each month in which a store's money moved, and records the hash once.
// From then on the database refuses entries in that month (migration statement_months), and every export repeats the hash.

import type { Context } from '@/lib/platform/context';
import { allowSeconds, transaction, type Tx } from '@/lib/platform/database/db';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import type { Environment } from '@/lib/platform/ids';
import { openFingerprint } from './fingerprint';
import { readLines } from './lines';
import { readClosedBefore, readClosedMonth } from './months';
import { Balances, isNotZero, isSameAmounts, type PartAmount, type StatementScope } from './parts';
import { monthPeriod, type Period } from './period';
import { readFromPresent, SUM_SECONDS } from './totals';

/** Stores in one run. Each closes its oldest open month. */
const AT_ONCE = 20;
/**
 * How long after its end a month is closed. Transactions that began before the end have the time of their beginning. They
 * take seconds, and one that took longer is refused and repeated.
 */
const CLOSED_AFTER = '1 hour';
/** Two transactions take this lock: the close of a month, and an entry that is committed into an ended month. */
const LOCK_CLASS = 0x7e_f3;

/** Closes a month each of some stores. A store whose month cannot be closed waits alone. */
export async function closeMonths(context: Context): Promise<{ more: boolean }> {
  const due = await dueMonths(context);
  const subjects = due.map(({ storeId, environment, month }) => ({
    ...{ kind: 'month' as const, id: `${storeId} ${environment}`, storeId, environment, month },
  }));
  const done = await eachAlone(context, 'close statement months', subjects, ({ storeId, environment, month }) =>
    transaction(context.pool, (tx) => closeMonth(tx, { storeId, environment }, month)),
  );
  await endQuarantine(context.pool, { kind: 'month', ids: done.map(({ id }) => id), now: context.clock.now() });
  return { more: done.length > 0 };
}

type DueMonth = StatementScope & { readonly month: string };

/**
 * By the clock of the database, which also gives entries their time, and by the newest final block: a clock that is ahead closes nothing
 * too early.
 */
async function dueMonths({ pool, clock }: Pick<Context, 'pool' | 'clock'>): Promise<DueMonth[]> {
  const { rows } = await pool.query<{ store_id: string; environment: Environment; month: string }>({
    name: 'statement-months-due',
    text: `SELECT s.id AS store_id, environment, to_char(oldest.month, 'YYYY-MM') AS month
           FROM stores s CROSS JOIN unnest(enum_range(NULL::"Environment")) AS environment
             CROSS JOIN LATERAL (SELECT date_trunc('month', e.created_at) AS month FROM ledger_entries e
               WHERE e.store_id = s.id AND e.environment = environment.environment
                 AND e.created_at >= coalesce((SELECT max(m.month) + interval '1 month' FROM statement_months m
                   WHERE m.store_id = s.id AND m.environment = environment.environment), '-infinity')
               ORDER BY e.created_at, e.id LIMIT 1) AS oldest
           WHERE oldest.month + interval '1 month' + interval '${CLOSED_AFTER}'
               <= least(now(), (SELECT max(final_time) FROM chains WHERE retired_at IS NULL))
             AND ${isDueAlone('month', `s.id || ' ' || environment`, '$1')}
           LIMIT ${AT_ONCE}`,
    values: [clock.now()],
  });
  return rows.map(({ store_id: storeId, environment, month }) => ({ storeId, environment, month }));
}

/** A no-op if another worker has closed it. */
async function closeMonth(tx: Tx, of: StatementScope, month: string): Promise<void> {
  const period = monthPeriod(month);
  if (!period) throw new Error(`${month} is not a month`);
  await allowSeconds(tx, SUM_SECONDS);
  // While it is held, no entry is committed into the month. All pages are then of one state.
  await tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, `${of.storeId} ${of.environment}`]);
  if (await readClosedMonth(tx, of, month)) return;
  const previous = await readClosedBefore(tx, of, period.from);
  const previousHash = previous?.hash ?? null;
  const balances = new Balances(previous?.closing ?? []);
  const fingerprint = openFingerprint({ ...of, month, previousHash });
  fingerprint.opening(balances.list());
  let count = 0;
  for await (const lines of readLines(tx, of, period)) {
    for (const line of lines) balances.add(line);
    fingerprint.lines(lines);
    count += lines.length;
  }
  const closing = balances.list().filter(isNotZero);
  await refuseOtherBalances(tx, of, { period, closing });
  await tx.query({
    name: 'statement-month-close',
    text: `INSERT INTO statement_months (store_id, environment, month, lines, hash, previous_hash, closing)
           VALUES ($1, $2::"Environment", ($3 || '-01')::date, $4, $5, $6, $7::jsonb)`,
    values: [of.storeId, of.environment, month, count, fingerprint.closing(closing), previousHash, jsonOf(closing)],
  });
}

/** The end of a month must also follow from the ledger's present balances. The cost grows with what was posted since. */
async function refuseOtherBalances(
  tx: Tx,
  of: StatementScope,
  { period, closing }: { readonly period: Period; readonly closing: readonly PartAmount[] },
): Promise<void> {
  if (isSameAmounts(closing, await readFromPresent(tx, of, period.to))) return;
  throw new Error(`the statement of ${period.month} does not end with the balances of the ledger`);
}

const jsonOf = (closing: readonly PartAmount[]): string =>
  JSON.stringify(closing.map((one) => ({ ...one, amount: one.amount.toString() })));
