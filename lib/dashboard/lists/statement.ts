// A store's statement: every ledger entry that moved its money, newest first, with its effect on the available balance, on
// amounts that wait for a decision or are frozen, and on amounts reserved for refunds and payouts.

import { networkSpec } from '@/lib/networks/networks';
import type { Config } from '@/lib/platform/config/config';
import type { Context } from '@/lib/platform/context';
import type { MoveKind } from '@/lib/ledger/post';
import type { EntryKind as PaymentEntryKind } from '@/lib/ledger/post-entry';
import {
  payoutAccount,
  quarantinedAccount,
  refundAccount,
  storeAccount,
  unresolvedAccount,
} from '@/lib/ledger/postings';
import type { DateFilters } from './filters';
import { keyset, pageOf, type Page, type Place, type PageRequest } from './keyset';
import { tokenText } from '@/lib/dashboard/payment/payment';
import type { StoreScope } from './payments';

/** The kinds of entries of a store. */
export type EntryKind =
  | 'transfer'
  | MoveKind
  | Exclude<PaymentEntryKind, 'funding' | 'cold_transfer' | 'cold_return'>
  | 'refund_cost_reserved'
  | 'refund_cost_settled';
type Part = 'available' | 'unresolved' | 'reserved' | 'in_payout' | 'quarantined';

/** `amount`: exact decimal text without a sign. */
export type StatementLine = {
  readonly part: Part;
  readonly network: string;
  readonly currency: string;
  readonly isIn: boolean;
  readonly amount: string;
};

export type StatementEntry = {
  readonly id: string;
  readonly kind: string;
  readonly createdAt: Date;
  readonly sessionId: string | null;
  readonly orderId: string | null;
  /** The service's id of the refund, and the merchant's. */
  readonly refund: { readonly id: string; readonly refundId: string } | null;
  readonly lines: readonly StatementLine[];
};

type Row = {
  id: string;
  kind: string;
  created_at: Date;
  session_id: string | null;
  order_id: string | null;
  intent_id: string | null;
  refund_id: string | null;
  lines: readonly { account: string; network: string; currency: string; amount: string }[] | null;
};

/** One page. */
export async function listStatement(
  { pool, config }: { readonly pool: Pick<Context['pool'], 'query'>; readonly config: Pick<Config, 'TEST_CHAINS'> },
  of: StoreScope,
  dates: DateFilters,
  pageRequest: PageRequest,
): Promise<Page<StatementEntry>> {
  const { rows } = await pool.query<Row>(statementStatement(of, dates, pageRequest));
  return pageOf(
    rows.map((row) => entryOf(row, of, config)),
    pageRequest,
    (entry) => entry,
  );
}

/** Not named: it contains only the requested conditions, and PostgreSQL plans it with their values. */
export function statementStatement(
  { storeId, environment }: StoreScope,
  dates: DateFilters,
  pageRequest: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [storeId, environment, Object.keys(accountsOf(storeId))];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['e.store_id = $1', 'e.environment = $2::"Environment"'];
  if (dates.from) conditions.push(`e.created_at >= ${given(dates.from)}`);
  if (dates.to) conditions.push(`e.created_at < ${given(dates.to)}`);
  const { condition, order } = keyset(
    { ...pageRequest, after: numbered(pageRequest.after), before: numbered(pageRequest.before) },
    ['e.created_at', 'e.id'],
    given,
  );
  const text = `WITH page AS (SELECT e.* FROM ledger_entries e WHERE ${conditions.join(' AND ')}${condition} ${order})
    SELECT e.id::text, e.kind, e.created_at, e.session_id, s.order_id, e.intent_id, r.refund_id,
      (SELECT json_agg(l) FROM (SELECT account, network, currency, sum(amount)::text AS amount FROM ledger_postings
        WHERE entry_id = e.id AND account = ANY ($3) GROUP BY 1, 2, 3 HAVING sum(amount) <> 0 ORDER BY 1, 2, 3) l) AS lines
    FROM page e LEFT JOIN sessions s ON s.id = e.session_id LEFT JOIN refunds r ON r.id = e.intent_id
    ${order.replace(/ LIMIT .*$/, '')}`;
  return { text, values };
}

/** Entries are numbered, so a cursor of another list lies beyond them all. */
const numbered = (place: Place | null): Place | null =>
  place && { ...place, id: /^\d{1,18}$/.test(place.id) ? place.id : '0' };

const accountsOf = (storeId: string): Readonly<Record<string, Part>> => ({
  [storeAccount(storeId)]: 'available',
  [unresolvedAccount(storeId)]: 'unresolved',
  [refundAccount(storeId)]: 'reserved',
  [payoutAccount(storeId)]: 'in_payout',
  [quarantinedAccount(storeId)]: 'quarantined',
});

/** A liability of the ledger is negative; the store's balance is its positive value. */
function entryOf(row: Row, { storeId, environment }: StoreScope, config: Pick<Config, 'TEST_CHAINS'>): StatementEntry {
  const parts = accountsOf(storeId);
  return {
    id: row.id,
    kind: row.kind,
    createdAt: row.created_at,
    sessionId: row.session_id,
    orderId: row.order_id,
    refund: row.intent_id !== null && row.refund_id !== null ? { id: row.intent_id, refundId: row.refund_id } : null,
    lines: (row.lines ?? []).map(({ account, network, currency, amount }) => {
      const units = -BigInt(amount);
      const decimals = networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency]?.decimals ?? 6;
      const isIn = units > 0n;
      return {
        part: parts[account] ?? 'available',
        network,
        currency,
        isIn,
        amount: tokenText(isIn ? units : -units, decimals),
      };
    }),
  };
}
