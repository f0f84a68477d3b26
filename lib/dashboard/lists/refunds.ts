// The refunds of a store in one environment, newest first, by one statement a page.

import type { Context } from '@/lib/platform/context';
import { centsToText } from '@/lib/money/amounts';
import { isHoldCode, type HoldCode } from '@/lib/refunds/holds';
import type { RefundStatus } from '@/prisma/generated/enums';
import type { RefundFilters } from './filters';
import { keyset, pageOf, type Page, type PageRequest } from './keyset';
import type { StoreScope } from './payments';
import { hashesOf } from './payments-search';

export type RefundRow = {
  /** The service's id of it, which fits in every address, and the merchant's. */
  readonly id: string;
  readonly refundId: string;
  readonly sessionId: string;
  readonly orderId: string;
  /** Of the payment link that opened its payment; null for other payments. */
  readonly linkTitle: string | null;
  readonly status: RefundStatus;
  /** Decimal text. */
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly hold: HoldCode | null;
  readonly reason: string | null;
  readonly transactionHash: string | null;
  readonly receiptNumber: string | null;
  readonly createdAt: Date;
  readonly processedAt: Date | null;
  /** Decimal text in the dollar value of tokens; null until the end, and when the operator pays it. */
  readonly networkCost: string | null;
};

type Row = {
  id: string;
  refund_id: string;
  session_id: string;
  order_id: string;
  link_title: string | null;
  status: RefundStatus;
  amount: string;
  currency: string;
  network: string;
  hold: string | null;
  reason: string | null;
  transaction_hash: string | null;
  receipt_number: string | null;
  created_at: Date;
  processed_at: Date | null;
  cost_charged: string | null;
};

/** One page. */
export async function listStoreRefunds(
  { pool }: { readonly pool: Pick<Context['pool'], 'query'> },
  of: StoreScope,
  filters: RefundFilters & { readonly sessionId?: string },
  pageRequest: PageRequest,
): Promise<Page<RefundRow>> {
  const { rows } = await pool.query<Row>(refundsStatement(of, filters, pageRequest));
  return pageOf(rows.map(refundOf), pageRequest, (row) => row);
}

/** Not named: it contains only the requested conditions, and PostgreSQL plans it with their values. */
export function refundsStatement(
  { storeId, environment }: StoreScope,
  filters: RefundFilters & { readonly sessionId?: string },
  pageRequest: PageRequest,
): { text: string; values: unknown[] } {
  const values: unknown[] = [storeId, environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['r.store_id = $1', 'r.environment = $2::"Environment"'];
  if (filters.status) conditions.push(`r.status = ${given(filters.status)}::"RefundStatus"`);
  if (filters.hold !== undefined) {
    conditions.push('r.hold IS NOT NULL');
    if (filters.hold !== 'any') conditions.push(`r.hold = ${given(filters.hold)}`);
  }
  if (filters.network) conditions.push(`r.network = ${given(filters.network)}`);
  if (filters.sessionId) conditions.push(`r.session_id = ${given(filters.sessionId)}`);
  if (filters.from) conditions.push(`r.created_at >= ${given(filters.from)}`);
  if (filters.to) conditions.push(`r.created_at < ${given(filters.to)}`);
  if (filters.q) conditions.push(`r.id = ANY (ARRAY(${searchRefunds(filters.q, given)}))`);
  const { condition, order } = keyset(pageRequest, ['r.created_at', 'r.id'], given);
  const text = `SELECT r.id, r.refund_id, r.session_id, r.order_id, r.status, r.amount, r.currency, r.network, r.hold, r.reason,
      r.transaction_hash, r.receipt_number, r.created_at, r.processed_at, r.cost_charged,
      (SELECT l.title FROM payment_link_sessions o JOIN payment_links l ON l.id = o.link_id
        WHERE o.session_id = r.session_id) AS link_title
    FROM refunds r WHERE ${conditions.join(' AND ')}${condition} ${order}`;
  return { text, values };
}

/** By its id, its order's or session's, its receipt number, or the hash of one of its transactions. */
function searchRefunds(q: string, given: (value: unknown) => string): string {
  const text = given(q);
  const own = `store_id = $1 AND environment = $2::"Environment"`;
  const parts = [
    `SELECT id FROM refunds WHERE ${own} AND refund_id = ${text}`,
    `SELECT id FROM refunds WHERE session_id = ${text}`,
    `SELECT f.id FROM sessions s JOIN refunds f ON f.session_id = s.id WHERE s.store_id = $1 AND s.environment = $2::"Environment"
       AND s.order_id = ${text}`,
    `SELECT id FROM refunds WHERE receipt_number = ${text}`,
  ];
  const hashes = hashesOf(q);
  if (hashes.length > 0)
    parts.push(`SELECT intent_id FROM refund_attempts WHERE hash = ANY (${given(hashes)}::text[])
      AND chain_id = ANY (ARRAY(SELECT id FROM chains WHERE environment = $2::"Environment"))`);
  return parts.join(' UNION ');
}

const refundOf = (row: Row): RefundRow => ({
  id: row.id,
  refundId: row.refund_id,
  sessionId: row.session_id,
  orderId: row.order_id,
  linkTitle: row.link_title,
  status: row.status,
  amount: centsToText(BigInt(row.amount)),
  currency: row.currency,
  network: row.network,
  hold: row.hold !== null && isHoldCode(row.hold) ? row.hold : null,
  reason: row.reason,
  transactionHash: row.transaction_hash,
  receiptNumber: row.receipt_number,
  createdAt: row.created_at,
  processedAt: row.processed_at,
  networkCost: row.cost_charged === null ? null : centsToText(BigInt(row.cost_charged)),
});
