// Leases refunds that are due, and writes about them while the lease lasts. A lease moves the refund's next_at past the time that a worker
// may be silent. The epoch detects a worker whose lease has ended: its writes change nothing.

import { inHalves } from '@/lib/platform/database/isolate';
import { isRefusedStatement, transaction, type Pool, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Context } from '@/lib/platform/context';
import { eachAlone, isDueAlone, quarantineFailed } from '@/lib/platform/database/quarantine';
import { FOR_OPERATOR } from './plan';
import { refundSubject } from '@/lib/refunds/quarantined';
import { readRefund, REFUND_COLUMNS, type RefundColumns, type LeasedRefund } from '@/lib/refunds/rows';

/** The most refunds that a worker leases at once, so that workers share the open ones. */
export const MAX_TAKEN = 50;

/** $5: lease only these ids, or any when it is null. */
const LEASE = {
  name: 'refunds-claim',
  text: `WITH due AS (
           SELECT id FROM refunds f
           WHERE environment = $1::"Environment" AND network = $2 AND status = 'processing' AND next_at <= $3
             AND hold IS DISTINCT FROM '${FOR_OPERATOR}' AND ($5::text[] IS NULL OR id = ANY($5))
             AND ${isDueAlone('refund', 'f.id', '$3')}
           ORDER BY next_at, id LIMIT ${MAX_TAKEN} FOR UPDATE SKIP LOCKED)
         UPDATE refunds r SET epoch = r.epoch + 1, next_at = $4 FROM due WHERE r.id = due.id RETURNING ${REFUND_COLUMNS}`,
};
const FIND = {
  name: 'refunds-due',
  text: `SELECT id FROM refunds f
         WHERE environment = $1::"Environment" AND network = $2 AND status = 'processing' AND next_at <= $3
           AND hold IS DISTINCT FROM '${FOR_OPERATOR}' AND ${isDueAlone('refund', 'f.id', '$3')}
         ORDER BY next_at, id LIMIT ${MAX_TAKEN}`,
};

/**
 * Leases the refunds of a network that are due, for `leaseMilliseconds`. If one statement cannot lease them all, or a refund cannot be
 * read, that refund is quarantined and the others are leased.
 */
export async function leaseDue(
  context: Pick<Context, 'pool' | 'clock' | 'log'>,
  of: { readonly environment: Environment; readonly network: string },
  leaseMilliseconds: number,
): Promise<readonly LeasedRefund[]> {
  const { pool, clock, log } = context;
  const now = clock.now();
  const values = [of.environment, of.network, now, after(now, leaseMilliseconds)];
  const leaseRows = async (only: readonly string[] | null): Promise<readonly RefundColumns[]> =>
    (await pool.query<RefundColumns>({ ...LEASE, values: [...values, only] })).rows;
  let leased: readonly RefundColumns[];
  try {
    leased = await leaseRows(null);
  } catch (error) {
    if (!isRefusedStatement(error)) throw error;
    log.warn({ err: error, ...of }, 'a batch of refunds could not be leased: retrying in halves');
    const found = await pool.query<{ id: string }>({ ...FIND, values: values.slice(0, 3) });
    const { results, failed } = await inHalves(
      found.rows.map(({ id }) => id),
      leaseRows,
    );
    await quarantineFailed({ ...context, db: pool }, 'take refunds', failed, (id) => refundSubject(of, id));
    leased = results.flat();
  }
  const refunds: LeasedRefund[] = [];
  const rows = leased.map((row) => ({ ...refundSubject(of, row.id, row.store_id), row }));
  await eachAlone(context, 'take refunds', rows, async ({ row }) => refunds.push(readRefund(row)));
  return refunds;
}

/** Extends the lease of a refund. False when another worker has it by now, or it has ended. */
export async function extendRefundLease(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, epoch }: LeasedRefund,
  leaseMilliseconds: number,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'refund-keep',
    text: `UPDATE refunds SET next_at = $3 WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch, after(clock.now(), leaseMilliseconds)],
  });
  return rowCount === 1;
}

/**
 * Runs one transaction about a refund whose lease this worker still holds and that is still being processed. Otherwise does nothing and
 * returns null. The refund's row is locked until the end, so neither a cancel nor another worker comes between.
 */
export function underLease<T>(
  pool: Pool,
  { id, epoch }: Pick<LeasedRefund, 'id' | 'epoch'>,
  work: (tx: Tx) => Promise<T>,
): Promise<T | null> {
  return transaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'refund-lock-mine',
      text: `SELECT 1 FROM refunds WHERE id = $1 AND epoch = $2 AND status = 'processing' FOR UPDATE`,
      values: [id, epoch],
    });
    return rowCount === 1 ? work(tx) : null;
  });
}

/** Why a refund waits: a code of holds.ts and a sentence. */
export type Hold = { readonly code: string; readonly message: string };

/** Ends the lease and leaves the refund idle until a time. `hold`: null when nothing blocks it; a continuing hold keeps its start. */
export async function idleUntil(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { id, epoch }: LeasedRefund,
  until: Date,
  hold: Hold | null,
): Promise<void> {
  await pool.query({
    name: 'refund-rest',
    text: `UPDATE refunds SET next_at = $3, hold = $4, hold_message = $5,
             held_at = CASE WHEN $4::text IS NULL THEN NULL WHEN hold = $4 THEN held_at ELSE $6 END
           WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch, until, hold?.code ?? null, hold?.message ?? null, clock.now()],
  });
}

/** Ends the lease and leaves the refund idle until a time; its hold, if any, stays unchanged. */
export async function idleKeepingHold(pool: Pool, { id, epoch }: LeasedRefund, until: Date): Promise<void> {
  await pool.query({
    name: 'refund-untouched',
    text: `UPDATE refunds SET next_at = $3 WHERE id = $1 AND epoch = $2 AND status = 'processing'`,
    values: [id, epoch, until],
  });
}

const after = (time: Date, milliseconds: number): Date => new Date(time.getTime() + milliseconds);
