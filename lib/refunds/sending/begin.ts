// Starts processing the payments that were requested. Nothing is signed before the waiting period is over, and until then the merchant
// can cancel. A payment that cannot begin is quarantined and delays no other one.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import { KIND_OF, paymentSubject } from '@/lib/refunds/quarantined';
import type { PaymentTable } from '@/lib/refunds/rows';
import { movePayment } from '@/lib/refunds/states';

const MAX_AT_ONCE = 100;

/** The payments of one table on one network of an environment. */
type Of = { readonly table: PaymentTable; readonly environment: Environment; readonly network: string };

/** Begins the pending payments of a network. True when there may be more of them. */
export async function beginPayments(context: Context, of: Of): Promise<boolean> {
  const { pool, log } = context;
  const { table } = of;
  const find = {
    name: `${table}-pending`,
    text: `SELECT id FROM ${table} WHERE environment = $1::"Environment" AND network = $2 AND status = 'pending' LIMIT 1`,
    values: [of.environment, of.network],
  };
  if ((await pool.query(find)).rowCount === 0) return false;
  let due: readonly string[] = [];
  try {
    return await transaction(pool, async (tx) => {
      due = await lockPending(tx, context, of);
      await begin(tx, context, of, due);
      return due.length === MAX_AT_ONCE;
    });
  } catch (error) {
    if (due.length === 0) throw error;
    log.warn(
      { err: error, table, payments: due.length },
      'a batch of payments could not begin: retrying them one at a time',
    );
  }
  const subjects = due.map((id) => paymentSubject(of, id));
  const begun = await eachAlone(context, `begin ${table}`, subjects, ({ id }) =>
    transaction(pool, (tx) => begin(tx, context, of, [id])),
  );
  await endQuarantine(pool, { kind: KIND_OF[table], ids: begun.map(({ id }) => id), now: context.clock.now() });
  return due.length === MAX_AT_ONCE && begun.length > 0;
}

async function lockPending(tx: Tx, { clock }: Context, { table, environment, network }: Of): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: `${table}-pending-lock`,
    text: `SELECT id FROM ${table} r WHERE environment = $1::"Environment" AND network = $2 AND status = 'pending'
             AND ${isDueAlone(KIND_OF[table], 'r.id', '$3')}
           ORDER BY next_at, id LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED`,
    values: [environment, network, clock.now()],
  });
  return rows.map(({ id }) => id);
}

/** Skips a payment that was canceled in the meantime. */
async function begin(
  tx: Tx,
  { clock, config }: Context,
  { table, environment }: Of,
  ids: readonly string[],
): Promise<void> {
  const hold = environment === 'live' ? config.REFUND_HOLD_SECONDS_LIVE : config.REFUND_HOLD_SECONDS_TEST;
  const at = clock.now();
  const signAfter = new Date(at.getTime() + hold * 1000);
  const begun = [];
  for (const id of ids) if (await movePayment(tx, { table, id }, 'begin', { at, signAfter })) begun.push(id);
  await tx.query({
    name: `${table}-begun`,
    text: `UPDATE ${table} SET next_at = sign_after WHERE id = ANY($1)`,
    values: [begun],
  });
}
