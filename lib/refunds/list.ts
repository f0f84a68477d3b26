// The refunds of a store, newest first, in pages: one statement spends the nonce and reads one page. As with sessions
// (lib/payments/sessions/list), a page starts after the last row of the previous page, so no row is repeated or skipped.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import type { RefundStatus } from '@/prisma/generated/enums';
import { REFUND_COLUMNS, refundFacts, type RefundRow } from './read';
import type { RefundFacts } from './view';

/** The last row of the previous page. */
export type RefundPosition = { readonly createdAt: Date; readonly id: string };

type RefundFilters = {
  readonly status?: RefundStatus | undefined;
  readonly sessionId?: string | undefined;
  readonly orderId?: string | undefined;
  /** Created at or after `from`, and before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

export type RefundQuery = RefundFilters & {
  readonly after: RefundPosition | null;
  /** Refunds in one page. */
  readonly limit: number;
};

/** One page; `next` is where the next one begins, or null when this is the last. Throws when the nonce could not be spent. */
export async function listRefunds(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
  query: RefundQuery,
): Promise<{ refunds: RefundFacts[]; next: RefundPosition | null }> {
  const { rows } = await pool.query<PageRow>(listStatement(caller, query));
  checkSpent(rows[0] as PageRow, caller);
  const found = rows.filter((row): row is PageRow & RefundRow => row.id !== null).map(refundFacts);
  const refunds = found.slice(0, query.limit);
  // The statement reads one row more than the page holds, to know whether this is the last page.
  return { refunds, next: found.length > query.limit ? (refunds.at(-1) ?? null) : null };
}

type PageRow = SpentRow & { id: string | null };

/**
 * The statement with its values. It has no name: it contains only the requested conditions, so that PostgreSQL plans with their values
 * and picks the index that fits. An order has one session, whose refunds are few.
 */
export function listStatement({ key, nonce }: Caller, query: RefundQuery): { text: string; values: unknown[] } {
  const values: unknown[] = [key.id, nonce, key.storeId, key.environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['r.store_id = $3', 'r.environment = $4::"Environment"'];
  if (query.status !== undefined) conditions.push(`r.status = ${given(query.status)}::"RefundStatus"`);
  if (query.sessionId !== undefined) conditions.push(`r.session_id = ${given(query.sessionId)}`);
  if (query.orderId !== undefined) {
    conditions.push(`r.session_id = (SELECT s.id FROM sessions s
      WHERE s.store_id = $3 AND s.environment = $4::"Environment" AND s.order_id = ${given(query.orderId)})`);
  }
  if (query.from !== undefined) conditions.push(`r.created_at >= ${given(query.from)}`);
  if (query.to !== undefined) conditions.push(`r.created_at < ${given(query.to)}`);
  if (query.after !== null)
    conditions.push(`(r.created_at, r.id) < (${given(query.after.createdAt)}, ${given(query.after.id)})`);
  const text = `
WITH ${SPEND_NONCE},
  page AS (SELECT ${REFUND_COLUMNS} FROM refunds r WHERE ${conditions.join(' AND ')}
           ORDER BY r.created_at DESC, r.id DESC LIMIT ${given(query.limit + 1)})
SELECT ${SPENT_COLUMNS}, page.* FROM (VALUES (1)) AS one LEFT JOIN page ON true
ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}
