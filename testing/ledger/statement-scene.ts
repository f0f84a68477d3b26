// Entries of the ledger at chosen times, for tests of statements: as the service posts them, balances included.

import type { Db, Pool } from '@/lib/platform/database/db';
import { accountsOf, type PartAmount, type StatementScope } from '@/lib/ledger/statements/parts';
import { readStatement, type BalancedLine, type StatementPiece } from '@/lib/ledger/statements/statement';
import type { Period } from '@/lib/ledger/statements/period';
import { silentLog } from '@/testing/chain-clock';

export type EntryAt = {
  readonly at: Date | string;
  readonly kind?: string;
  readonly moves: readonly PartAmount[];
  readonly sessionId?: string;
  readonly intentId?: string;
  readonly transferId?: string;
};

/** Posts one entry. What enters or leaves the store's parts is balanced with the deposit addresses. Returns its id. */
export async function postAt(db: Db, of: StatementScope, entry: EntryAt): Promise<string> {
  const accounts = Object.fromEntries(Object.entries(accountsOf(of.storeId)).map(([account, part]) => [part, account]));
  const postings = entry.moves.flatMap(({ network, currency, part, amount }) => [
    { network, currency, account: accounts[part], amount: (-amount).toString() },
    { network, currency, account: 'received', amount: amount.toString() },
  ]);
  const { rows } = await db.query<{ id: string }>(
    `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, created_at, session_id, intent_id, transfer_id)
       VALUES ($1, $2, $3::"Environment", $4, $6, $7, $8) RETURNING id),
     posted AS (INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
       SELECT entry.id, line.account, line.network, line.currency, line.amount
       FROM entry, json_to_recordset($5) AS line (network text, currency text, account text, amount numeric))
     SELECT id::text FROM entry`,
    [
      entry.kind ?? 'transfer',
      of.storeId,
      of.environment,
      entry.at,
      JSON.stringify(postings),
      entry.sessionId ?? null,
      entry.intentId ?? null,
      entry.transferId ?? null,
    ],
  );
  return rows[0]?.id as string;
}

type Closing = Extract<StatementPiece, { kind: 'closing' }>;
export type WholeStatement = {
  readonly opening: readonly PartAmount[];
  readonly lines: readonly BalancedLine[];
  readonly closing: Closing;
};

/** Reads a statement to its end. */
export async function wholeStatement(pool: Pool, of: StatementScope, period: Period): Promise<WholeStatement> {
  let opening: readonly PartAmount[] = [];
  const lines: BalancedLine[] = [];
  let closing: Closing | undefined;
  for await (const piece of readStatement({ pool, log: silentLog() }, of, period)) {
    if (piece.kind === 'opening') opening = piece.balances;
    if (piece.kind === 'lines') lines.push(...piece.lines);
    if (piece.kind === 'closing') closing = piece;
  }
  if (!closing) throw new Error('the statement has no closing balances');
  return { opening, lines, closing };
}
