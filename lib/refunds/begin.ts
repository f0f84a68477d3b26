// Refunds that were asked for begin to be processed. Nothing is signed before the hold is over, and until then a merchant can
// change their mind (decisions: Refunds).

import type { Context } from '@/lib/context';
import { transaction } from '@/lib/db';
import type { Environment } from '@/lib/ids';
import { moveRefund } from './states';

const MOST_AT_ONCE = 100;

/** Begins the refunds of a network that wait for it. True when there may be more of them. */
export async function beginRefunds(
  { pool, clock, config }: Context,
  { environment, network }: { readonly environment: Environment; readonly network: string },
): Promise<boolean> {
  const find = {
    name: 'refunds-pending',
    text: `SELECT id FROM refunds WHERE environment = $1::"Environment" AND network = $2 AND status = 'pending' LIMIT 1`,
    values: [environment, network],
  };
  if ((await pool.query(find)).rowCount === 0) return false;
  const hold = environment === 'live' ? config.REFUND_HOLD_SECONDS_LIVE : config.REFUND_HOLD_SECONDS_TEST;
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ id: string }>({
      name: 'refunds-pending-lock',
      text: `SELECT id FROM refunds WHERE environment = $1::"Environment" AND network = $2 AND status = 'pending'
             ORDER BY next_at, id LIMIT ${MOST_AT_ONCE} FOR UPDATE SKIP LOCKED`,
      values: [environment, network],
    });
    const at = clock.now();
    const signAfter = new Date(at.getTime() + hold * 1000);
    for (const { id } of rows) await moveRefund(tx, id, 'begin', { at, signAfter });
    await tx.query({
      name: 'refunds-begun',
      text: 'UPDATE refunds SET next_at = sign_after WHERE id = ANY($1)',
      values: [rows.map(({ id }) => id)],
    });
    return rows.length === MOST_AT_ONCE;
  });
}
