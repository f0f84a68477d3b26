// Reads the lines of a statement in the order of the ledger, some entries at a time: a keyset over time and entry, so
// that memory does not depend on the length of the period.

import type { Db } from '@/lib/platform/database/db';
import { accountsOf, Balances, isNotZero, partAmount, type Part, type PartAmount, type StatementScope } from './parts';
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
  readonly payout: { readonly id: string; readonly payoutId: string | null } | null;
  /** Of the payment, or of the refund or payout that arrived. */
  readonly transactionHash: string | null;
};

/** Entries in memory at once. */
const PAGE_ENTRIES = 1000;

/** One posting, or the nulls of an entry without postings of the store. */
type Row = {
  id: string;
  kind: string;
  created_at: Date;
  session_id: string | null;
  order_id: string | null;
  intent_id: string | null;
  refund_id: string | null;
  payout_id: string | null;
  transaction_hash: string | null;
  account: string | null;
  network: string | null;
  currency: string | null;
  amount: string | null;
};

/**
 * The lines of a period, page by page. An entry's lines are on one page. PostgreSQL reads the next page while the caller
 * works on one.
 */
export async function* readLines(
  db: Db,
  of: StatementScope,
  { from, to }: Pick<Period, 'from' | 'to'>,
): AsyncGenerator<readonly StatementLine[], void, undefined> {
  const parts = accountsOf(of.storeId);
  const pageAfter = async (time: Date, id: string): Promise<Row[][]> => {
    const values = [of.storeId, of.environment, Object.keys(parts), time, id, to, PAGE_ENTRIES];
    return byEntry((await db.query<Row>({ name: 'statement-lines', text: LINES, values })).rows);
  };
  for (let next: Promise<Row[][]> | null = pageAfter(from, '0'); next;) {
    const entries: Row[][] = await next;
    const last = entries.at(-1)?.[0];
    next = last && entries.length === PAGE_ENTRIES ? pageAfter(last.created_at, last.id) : null;
    // A caller that stops early does not await it.
    next?.catch(() => {});
    yield entries.flatMap((postings) => linesOf(postings, parts));
  }
}

/**
 * The transaction of a refund or payout is named by the entry that books its arrival: its other entries can precede it. Subqueries,
 * and OFFSET 0, make PostgreSQL use an index for each entry: it expects fewer entries than a page has, and would read
 * whole tables.
 */
export const LINES = `
  WITH page AS (SELECT e.* FROM ledger_entries e WHERE e.store_id = $1 AND e.environment = $2::"Environment"
      AND (e.created_at, e.id) > ($4::timestamptz, $5::bigint) AND e.created_at < $6 ORDER BY e.created_at, e.id LIMIT $7)
  SELECT e.id::text, e.kind, e.created_at, e.session_id, (SELECT order_id FROM sessions WHERE id = e.session_id) AS order_id,
    e.intent_id, (SELECT refund_id FROM refunds WHERE id = e.intent_id) AS refund_id,
    (SELECT payout_id FROM payouts WHERE id = e.intent_id) AS payout_id,
    CASE WHEN e.kind = 'refund_paid' THEN (SELECT transaction_hash FROM refunds WHERE id = e.intent_id)
      WHEN e.kind = 'payout_paid' THEN (SELECT transaction_hash FROM payouts WHERE id = e.intent_id)
      ELSE (SELECT transaction_hash FROM transfers WHERE id = e.transfer_id) END AS transaction_hash,
    p.account, p.network, p.currency, p.amount::text
  FROM page e LEFT JOIN LATERAL (SELECT account, network, currency, amount FROM ledger_postings
    WHERE entry_id = e.id AND account = ANY ($3) OFFSET 0) AS p ON true
  ORDER BY e.created_at, e.id`;

/** Rows of one entry follow each other. */
function byEntry(rows: readonly Row[]): Row[][] {
  const entries: Row[][] = [];
  for (const row of rows) {
    const last = entries.at(-1);
    if (last?.[0]?.id === row.id) last.push(row);
    else entries.push([row]);
  }
  return entries;
}

/** One line for each part of a token on a network that the entry changed. */
function linesOf(postings: readonly Row[], parts: Readonly<Record<string, Part>>): StatementLine[] {
  const amounts: PartAmount[] = [];
  for (const { account, network, currency, amount } of postings) {
    if (account === null || network === null || currency === null || amount === null) continue;
    amounts.push(partAmount({ account, network, currency, amount }, parts));
  }
  const [entry] = postings;
  const sums = amounts.length > 1 ? new Balances(amounts).list() : amounts;
  return entry ? sums.filter(isNotZero).map((amount) => lineOf(entry, amount)) : [];
}

/** Field by field: a spread takes several times as long, and a statement has a million lines. */
const lineOf = (entry: Row, { network, currency, part, amount }: PartAmount): StatementLine => ({
  network,
  currency,
  part,
  amount,
  entryId: entry.id,
  createdAt: entry.created_at,
  kind: entry.kind,
  sessionId: entry.session_id,
  orderId: entry.order_id,
  refund: entry.intent_id === null || isPayout(entry) ? null : { id: entry.intent_id, refundId: entry.refund_id },
  payout: entry.intent_id === null || !isPayout(entry) ? null : { id: entry.intent_id, payoutId: entry.payout_id },
  transactionHash: entry.transaction_hash,
});

const isPayout = ({ kind }: Row): boolean => kind.startsWith('payout_');
