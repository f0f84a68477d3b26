// Reads the lines of a statement in the order of the ledger, some entries at a time: a keyset over time and entry, so
// that memory does not depend on the length of the period.

import type { Db } from '@/lib/platform/database/db';
import { accountsOf, partAmounts, type AccountSum, type PartAmount, type StatementScope } from './parts';
import type { Period } from './period';

/** What one entry did to one part of one token on one network. `amount`: positive is into the part. */
export type StatementLine = PartAmount & {
  readonly entryId: string;
  readonly createdAt: Date;
  readonly kind: string;
  readonly sessionId: string | null;
  readonly orderId: string | null;
  /** The service's id of the refund, and the merchant's. */
  readonly refund: { readonly id: string; readonly refundId: string | null } | null;
  /** Of the payment, or of the refund that arrived. */
  readonly transactionHash: string | null;
};

/** Entries in memory at once. */
const PAGE_ENTRIES = 2000;

type Row = {
  id: string;
  kind: string;
  created_at: Date;
  session_id: string | null;
  order_id: string | null;
  intent_id: string | null;
  refund_id: string | null;
  transaction_hash: string | null;
  sums: readonly AccountSum[] | null;
};

/** The lines of a period, page by page. An entry's lines are on one page. */
export async function* readLines(
  db: Db,
  { storeId, environment }: StatementScope,
  { from, to }: Pick<Period, 'from' | 'to'>,
): AsyncGenerator<readonly StatementLine[], void, undefined> {
  const parts = accountsOf(storeId);
  for (let [time, id] = [from, '0']; ;) {
    const { rows } = await db.query<Row>({
      name: 'statement-lines',
      text: READ,
      values: [storeId, environment, Object.keys(parts), time, id, to, PAGE_ENTRIES],
    });
    const last = rows.at(-1);
    if (!last) return;
    yield rows.flatMap((row) => partAmounts(row.sums ?? [], parts).map((amount) => lineOf(row, amount)));
    if (rows.length < PAGE_ENTRIES) return;
    [time, id] = [last.created_at, last.id];
  }
}

// The transaction of a refund is named by the entry that books its arrival: its other entries can precede it.
const READ = `
  WITH page AS (SELECT e.* FROM ledger_entries e WHERE e.store_id = $1 AND e.environment = $2::"Environment"
      AND (e.created_at, e.id) > ($4::timestamptz, $5::bigint) AND e.created_at < $6 ORDER BY e.created_at, e.id LIMIT $7)
  SELECT e.id::text, e.kind, e.created_at, e.session_id, s.order_id, e.intent_id, r.refund_id,
    CASE WHEN e.kind = 'refund_paid' THEN r.transaction_hash ELSE t.transaction_hash END AS transaction_hash,
    (SELECT json_agg(l) FROM (SELECT account, network, currency, sum(amount)::text AS amount FROM ledger_postings
      WHERE entry_id = e.id AND account = ANY ($3) GROUP BY 1, 2, 3 HAVING sum(amount) <> 0) l) AS sums
  FROM page e LEFT JOIN sessions s ON s.id = e.session_id LEFT JOIN refunds r ON r.id = e.intent_id
    LEFT JOIN transfers t ON t.id = e.transfer_id
  ORDER BY e.created_at, e.id`;

const lineOf = (row: Row, amount: PartAmount): StatementLine => ({
  ...amount,
  entryId: row.id,
  createdAt: row.created_at,
  kind: row.kind,
  sessionId: row.session_id,
  orderId: row.order_id,
  refund: row.intent_id === null ? null : { id: row.intent_id, refundId: row.refund_id },
  transactionHash: row.transaction_hash,
});
