// The payouts of a store page by page for the API, the newest first. One statement spends the nonce too.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import type { RefundStatus } from '@/prisma/generated/enums';
import { PAYOUT_COLUMNS, payoutOf, type Payout, type PayoutRow } from './payout';

/** The last row of the previous page. */
export type PayoutPosition = Pick<Payout, 'createdAt' | 'id'>;

export type PayoutQuery = {
  readonly status?: RefundStatus | undefined;
  /** Created at or after `from`, and before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  readonly after: PayoutPosition | null;
  /** Payouts in one page. */
  readonly limit: number;
};

/** One page; `next` is where the next one begins, or null when this is the last. Throws when the nonce could not be spent. */
export async function listPayoutPage(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
  query: PayoutQuery,
): Promise<{ payouts: Payout[]; next: PayoutPosition | null }> {
  const { rows } = await pool.query<PageRow>(pageStatement(caller, query));
  checkSpent(rows[0] as PageRow, caller);
  const found = rows.filter((row): row is PageRow & PayoutRow => row.id !== null).map(payoutOf);
  const payouts = found.slice(0, query.limit);
  // The statement reads one row more than the page holds, to know whether this is the last page.
  return { payouts, next: found.length > query.limit ? (payouts.at(-1) ?? null) : null };
}

type PageRow = SpentRow & { id: string | null };

/** The statement has no name: it contains only the requested conditions, so that PostgreSQL picks the index that fits them. */
export function pageStatement({ key, nonce }: Caller, query: PayoutQuery): { text: string; values: unknown[] } {
  const values: unknown[] = [key.id, nonce, key.storeId, key.environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['p.store_id = $3', 'p.environment = $4::"Environment"'];
  if (query.status !== undefined) conditions.push(`p.status = ${given(query.status)}::"RefundStatus"`);
  if (query.from !== undefined) conditions.push(`p.created_at >= ${given(query.from)}`);
  if (query.to !== undefined) conditions.push(`p.created_at < ${given(query.to)}`);
  if (query.after !== null)
    conditions.push(`(p.created_at, p.id) < (${given(query.after.createdAt)}, ${given(query.after.id)})`);
  const text = `
WITH ${SPEND_NONCE},
  page AS (SELECT ${PAYOUT_COLUMNS} FROM payouts p WHERE ${conditions.join(' AND ')}
           ORDER BY p.created_at DESC, p.id DESC LIMIT ${given(query.limit + 1)})
SELECT ${SPENT_COLUMNS}, page.* FROM (VALUES (1)) AS one LEFT JOIN page ON true
ORDER BY page."createdAt" DESC, page.id DESC`;
  return { text, values };
}
