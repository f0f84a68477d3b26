// Records payment exceptions in the transaction that settles their payments: one per transfer, however often its session is
// settled.

import type { Tx } from '@/lib/platform/database/db';
import { moveSql } from '@/lib/platform/database/moves';
import { EXCEPTIONS } from '@/lib/payments/exceptions/states';
import type { NewException, Shares } from './exceptions';
import type { SettledSession } from './load';

export type RecordedException = NewException & { readonly id: string };

/** Opens missing exceptions and records counted amounts of existing ones. Returns the exceptions that it opened. */
export async function writeExceptions(
  tx: Tx,
  session: SettledSession,
  shares: Shares,
  now: Date,
): Promise<readonly RecordedException[]> {
  const opened = await openExceptions(tx, session, shares.newExceptions);
  await recordCounted(tx, shares.countedExceptions, now);
  return opened;
}

async function openExceptions(
  tx: Tx,
  session: SettledSession,
  exceptions: readonly NewException[],
): Promise<readonly RecordedException[]> {
  if (exceptions.length === 0) return [];
  const { rows } = await tx.query<{ id: string; transfer_id: string }>({
    name: 'open-cases',
    text: `INSERT INTO payment_exceptions (store_id, environment, session_id, transfer_id, kind, amount)
           SELECT $1, $2::"Environment", $3, "transferId", kind, amount
             FROM json_to_recordset($4) AS one("transferId" bigint, kind text, amount numeric)
           ON CONFLICT (transfer_id) DO NOTHING RETURNING id, transfer_id`,
    values: [session.storeId, session.environment, session.id, JSON.stringify(exceptions.map(exceptionRow))],
  });
  const ids = new Map(rows.map(({ id, transfer_id }) => [transfer_id, id]));
  return exceptions.flatMap((one) => {
    const id = ids.get(one.transfer.id);
    return id === undefined ? [] : [{ ...one, id }];
  });
}

const exceptionRow = ({ transfer, kind, amount }: NewException) => ({
  transferId: transfer.id,
  kind,
  amount: amount.toString(),
});

const COUNTED = moveSql(EXCEPTIONS, { count: `one.state = 'accepted'`, split: `one.state = 'open'` });

/**
 * A payment that was counted completely becomes accepted, by the person who accepted it or by the rule that completed the session.
 * When it was counted in part, the rest is open again, even if a person accepted the payment.
 */
async function recordCounted(tx: Tx, counted: Shares['countedExceptions'], now: Date): Promise<void> {
  if (counted.length === 0) return;
  const { rowCount } = await tx.query({
    name: 'record-counted',
    text: `UPDATE payment_exceptions c SET counted = one.counted, state = ${COUNTED.to},
             decided_by = CASE WHEN one.state = 'open' THEN NULL WHEN c.state = 'accepted' THEN c.decided_by
                               ELSE 'rule:completed' END,
             decided_at = CASE WHEN one.state = 'open' THEN NULL WHEN c.state = 'accepted' THEN c.decided_at ELSE $2 END
             FROM json_to_recordset($1) AS one(id bigint, counted numeric, state text)
             WHERE c.id = one.id AND ${COUNTED.isFrom}`,
    values: [JSON.stringify(counted.map((one) => ({ ...one, counted: one.counted.toString() }))), now],
  });
  if (rowCount !== counted.length) throw new Error('an exception was decided before its payment could be counted');
}
