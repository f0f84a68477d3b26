// Starts processing the refunds that were requested. Nothing is signed before the waiting period is over, and until then the merchant
// can cancel. A refund that cannot begin is quarantined and delays no other refund.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import { refundSubject } from '@/lib/refunds/quarantined';
import { moveRefund } from '@/lib/refunds/states';

const MAX_AT_ONCE = 100;

/** Begins the pending refunds of a network. True when there may be more of them. */
export async function beginRefunds(
  context: Context,
  sending: { readonly environment: Environment; readonly network: string },
): Promise<boolean> {
  const { pool, log } = context;
  const find = {
    name: 'refunds-pending',
    text: `SELECT id FROM refunds WHERE environment = $1::"Environment" AND network = $2 AND status = 'pending' LIMIT 1`,
    values: [sending.environment, sending.network],
  };
  if ((await pool.query(find)).rowCount === 0) return false;
  let due: readonly string[] = [];
  try {
    return await transaction(pool, async (tx) => {
      due = await lockPending(tx, context, sending);
      await begin(tx, context, sending.environment, due);
      return due.length === MAX_AT_ONCE;
    });
  } catch (error) {
    if (due.length === 0) throw error;
    log.warn({ err: error, refunds: due.length }, 'a batch of refunds could not begin: retrying them one at a time');
  }
  const subjects = due.map((id) => refundSubject(sending, id));
  const begun = await eachAlone(context, 'begin refunds', subjects, ({ id }) =>
    transaction(pool, (tx) => begin(tx, context, sending.environment, [id])),
  );
  await endQuarantine(pool, { kind: 'refund', ids: begun.map(({ id }) => id), now: context.clock.now() });
  return due.length === MAX_AT_ONCE && begun.length > 0;
}

async function lockPending(
  tx: Tx,
  { clock }: Context,
  { environment, network }: { readonly environment: Environment; readonly network: string },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'refunds-pending-lock',
    text: `SELECT id FROM refunds r WHERE environment = $1::"Environment" AND network = $2 AND status = 'pending'
             AND ${isDueAlone('refund', 'r.id', '$3')}
           ORDER BY next_at, id LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED`,
    values: [environment, network, clock.now()],
  });
  return rows.map(({ id }) => id);
}

/** Skips a refund that was canceled in the meantime. */
async function begin(
  tx: Tx,
  { clock, config }: Context,
  environment: Environment,
  ids: readonly string[],
): Promise<void> {
  const hold = environment === 'live' ? config.REFUND_HOLD_SECONDS_LIVE : config.REFUND_HOLD_SECONDS_TEST;
  const at = clock.now();
  const signAfter = new Date(at.getTime() + hold * 1000);
  const begun = [];
  for (const id of ids) if (await moveRefund(tx, id, 'begin', { at, signAfter })) begun.push(id);
  await tx.query({
    name: 'refunds-begun',
    text: 'UPDATE refunds SET next_at = sign_after WHERE id = ANY($1)',
    values: [begun],
  });
}
