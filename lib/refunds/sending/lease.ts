// Leases payments that are due, and writes about them while the lease lasts. A lease moves the payment's next_at past the time that a worker
// may be silent. The epoch detects a worker whose lease has ended: its writes change nothing.

import { inHalves } from '@/lib/platform/database/isolate';
import { isRefusedStatement, transaction, type Pool, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Context } from '@/lib/platform/context';
import { eachAlone, isDueAlone, quarantineFailed } from '@/lib/platform/database/quarantine';
import { FOR_OPERATOR } from './plan';
import { KIND_OF, paymentSubject } from '@/lib/refunds/quarantined';
import {
  PAYMENT_COLUMNS,
  type ColdTransferColumns,
  type PaymentRow,
  type PayoutColumns,
  type RefundColumns,
} from '@/lib/refunds/columns';
import { readPayment, type LeasedPayment, type PaymentTable } from '@/lib/refunds/rows';

/** The most payments that a worker leases at once, so that workers share the open ones. */
export const MAX_TAKEN = 50;

const isDue = (table: PaymentTable): string =>
  `environment = $1::"Environment" AND network = $2 AND status = 'processing' AND next_at <= $3
     AND hold IS DISTINCT FROM '${FOR_OPERATOR}' AND ${isDueAlone(KIND_OF[table], 'f.id', '$3')}`;

/** $5: lease only these ids, or any when it is null. */
const leaseOf = (table: PaymentTable) => ({
  name: `${table}-claim`,
  text: `WITH due AS (
           SELECT id FROM ${table} f WHERE ${isDue(table)} AND ($5::text[] IS NULL OR id = ANY($5))
           ORDER BY next_at, id LIMIT ${MAX_TAKEN} FOR UPDATE SKIP LOCKED)
         UPDATE ${table} r SET epoch = r.epoch + 1, next_at = $4 FROM due WHERE r.id = due.id RETURNING ${PAYMENT_COLUMNS[table]}`,
});
const findOf = (table: PaymentTable) => ({
  name: `${table}-due`,
  text: `SELECT id FROM ${table} f WHERE ${isDue(table)} ORDER BY next_at, id LIMIT ${MAX_TAKEN}`,
});

/** Each table has its own row. */
const leaseWith = (
  pool: Pool,
  table: PaymentTable,
  values: unknown[],
): Promise<{ readonly rows: readonly PaymentRow[] }> => LEASE[table](pool, values);

const LEASE: Readonly<
  Record<PaymentTable, (pool: Pool, values: unknown[]) => Promise<{ readonly rows: readonly PaymentRow[] }>>
> = {
  refunds: (pool, values) => pool.query<RefundColumns>({ ...leaseOf('refunds'), values }),
  payouts: (pool, values) => pool.query<PayoutColumns>({ ...leaseOf('payouts'), values }),
  cold_transfers: (pool, values) => pool.query<ColdTransferColumns>({ ...leaseOf('cold_transfers'), values }),
};

/** What a step of one network of one environment pays. */
type Paying = { readonly table: PaymentTable; readonly environment: Environment; readonly network: string };

/**
 * Leases the payments of a network that are due, for `leaseMilliseconds`. If one statement cannot lease them all, or a payment cannot be
 * read, that payment is quarantined and the others are leased.
 */
export async function leaseDue(
  context: Pick<Context, 'pool' | 'clock' | 'log'>,
  of: Paying,
  leaseMilliseconds: number,
): Promise<readonly LeasedPayment[]> {
  const { pool, clock, log } = context;
  const { table, environment, network } = of;
  const now = clock.now();
  const values = [environment, network, now, after(now, leaseMilliseconds)];
  const leaseRows = async (only: readonly string[] | null): Promise<readonly PaymentRow[]> =>
    (await leaseWith(pool, table, [...values, only])).rows;
  const step = `take ${table}`;
  let leased: readonly PaymentRow[];
  try {
    leased = await leaseRows(null);
  } catch (error) {
    if (!isRefusedStatement(error)) throw error;
    log.warn(
      { err: error, table, environment, network },
      'a batch of payments could not be leased: retrying in halves',
    );
    const found = await pool.query<{ id: string }>({ ...findOf(table), values: values.slice(0, 3) });
    const { results, failed } = await inHalves(
      found.rows.map(({ id }) => id),
      leaseRows,
    );
    await quarantineFailed({ ...context, db: pool }, step, failed, (id) => paymentSubject(of, id));
    leased = results.flat();
  }
  const payments: LeasedPayment[] = [];
  const rows = leased.map((row) => ({
    ...paymentSubject(of, row.id, 'store_id' in row ? row.store_id : undefined),
    row,
  }));
  await eachAlone(context, step, rows, async ({ row }) => payments.push(readPayment(row)));
  return payments;
}

/** Extends the lease of a payment. False when another worker has it by now, or it has ended. */
export async function extendLease(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { table, id, epoch }: LeasedPayment,
  leaseMilliseconds: number,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: `${table}-keep`,
    text: `UPDATE ${table} SET next_at = $3 WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch, after(clock.now(), leaseMilliseconds)],
  });
  return rowCount === 1;
}

/**
 * Runs one transaction about a payment whose lease this worker still holds and that is still being processed. Otherwise does nothing and
 * returns null. The payment's row is locked until the end, so neither a cancel nor another worker comes between.
 */
export const underLease = <T>(pool: Pool, payment: LeaseName, work: (tx: Tx) => Promise<T>): Promise<T | null> =>
  transaction(pool, async (tx) => ((await lockLeased(tx, payment)) ? work(tx) : null));

type LeaseName = Pick<LeasedPayment, 'table' | 'id' | 'epoch'>;

/** Locks a payment. False when this worker does not hold its lease any more, or it has ended. */
export async function lockLeased(tx: Tx, { table, id, epoch }: LeaseName): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: `${table}-lock-mine`,
    text: `SELECT 1 FROM ${table} WHERE id = $1 AND epoch = $2 AND status = 'processing' FOR UPDATE`,
    values: [id, epoch],
  });
  return rowCount === 1;
}

/** Why a payment waits: a code of holds.ts and a sentence. `isContradiction`: endpoints disagree about it. */
export type Hold = { readonly code: string; readonly message: string; readonly isContradiction?: true };

/**
 * Ends the lease and leaves the payment idle until a time. `hold`: null when nothing blocks it; a hold that continues keeps its start and is
 * counted.
 */
export async function idleUntil(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { table, id, epoch }: LeasedPayment,
  until: Date,
  hold: Hold | null,
): Promise<void> {
  await pool.query({
    name: `${table}-rest`,
    text: `UPDATE ${table} SET next_at = $3, hold = $4, hold_message = $5,
             held_at = CASE WHEN $4::text IS NULL THEN NULL WHEN hold = $4 THEN held_at ELSE $6 END,
             hold_count = CASE WHEN hold = $4 THEN hold_count + 1 ELSE 1 END
           WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch, until, hold?.code ?? null, hold?.message ?? null, clock.now()],
  });
}

/** Ends the lease and leaves the payment idle until a time; its hold, if any, stays unchanged. */
export async function idleKeepingHold(pool: Pool, { table, id, epoch }: LeasedPayment, until: Date): Promise<void> {
  await pool.query({
    name: `${table}-untouched`,
    text: `UPDATE ${table} SET next_at = $3 WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch, until],
  });
}

const after = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds);
