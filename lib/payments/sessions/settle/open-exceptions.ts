// Writes the cases of payments that somebody has to decide about, in the transaction that settles them: one per transfer,
// however often its session is settled.

import type { Tx } from '@/lib/platform/database/db';
import type { NewCase, Shares } from './exceptions';
import type { SettledSession } from './load';

export type OpenedCase = NewCase & { readonly id: string };

/** Opens what is missing, and records what of other cases was counted. Answers the cases that it opened. */
export async function writeCases(
  tx: Tx,
  session: SettledSession,
  shares: Shares,
  now: Date,
): Promise<readonly OpenedCase[]> {
  const opened = await openCases(tx, session, shares.newCases);
  await recordCounted(tx, shares.countedCases, now);
  return opened;
}

async function openCases(tx: Tx, session: SettledSession, cases: readonly NewCase[]): Promise<readonly OpenedCase[]> {
  if (cases.length === 0) return [];
  const { rows } = await tx.query<{ id: string; transfer_id: string }>({
    name: 'open-cases',
    text: `INSERT INTO payment_cases (store_id, environment, session_id, transfer_id, kind, amount)
           SELECT $1, $2::"Environment", $3, "transferId", kind, amount
             FROM json_to_recordset($4) AS one("transferId" bigint, kind text, amount numeric)
           ON CONFLICT (transfer_id) DO NOTHING RETURNING id, transfer_id`,
    values: [session.storeId, session.environment, session.id, JSON.stringify(cases.map(caseRow))],
  });
  const ids = new Map(rows.map(({ id, transfer_id }) => [transfer_id, id]));
  return cases.flatMap((one) => {
    const id = ids.get(one.transfer.id);
    return id === undefined ? [] : [{ ...one, id }];
  });
}

const caseRow = ({ transfer, kind, amount }: NewCase) => ({
  transferId: transfer.id,
  kind,
  amount: amount.toString(),
});

/**
 * A payment that was counted whole is accepted, by the person who accepted it or else by the rule that completed the session.
 * Of one that was counted in part, the rest is open, whoever accepted it.
 */
async function recordCounted(tx: Tx, counted: Shares['countedCases'], now: Date): Promise<void> {
  if (counted.length === 0) return;
  await tx.query({
    name: 'record-counted',
    text: `UPDATE payment_cases c SET counted = one.counted, state = one.state::"CaseState",
             decided_by = CASE WHEN one.state = 'open' THEN NULL WHEN c.state = 'accepted' THEN c.decided_by
                               ELSE 'rule:completed' END,
             decided_at = CASE WHEN one.state = 'open' THEN NULL WHEN c.state = 'accepted' THEN c.decided_at ELSE $2 END
             FROM json_to_recordset($1) AS one(id bigint, counted numeric, state text) WHERE c.id = one.id`,
    values: [JSON.stringify(counted.map((one) => ({ ...one, counted: one.counted.toString() }))), now],
  });
}
