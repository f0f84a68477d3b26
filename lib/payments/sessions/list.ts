// Lists the sessions of a store, newest first, page by page. One statement spends the nonce and reads one page. A page starts after
// the last row of the previous page (creation time, then id; both never change). So sessions that are created, paid or canceled
// meanwhile neither repeat nor hide a row. Changes of a session are in the list of events (lib/webhooks/events/list).

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import type { SessionStatus } from '@/prisma/generated/enums';
import { MONEY_COLUMNS, type MoneyRow } from './money';
import { readFacts, SESSION_COLUMNS, type ReadSession, type SessionRow } from './read';

/** The last row of the previous page. */
export type SessionPosition = { readonly createdAt: Date; readonly id: string };

type SessionFilters = {
  readonly status?: SessionStatus | undefined;
  readonly orderId?: string | undefined;
  /** Created at or after `from`, and before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

export type SessionQuery = SessionFilters & {
  readonly after: SessionPosition | null;
  /** Sessions in one page. */
  readonly limit: number;
};

/** One page; `next` is where the next one begins, or null when this is the last. Throws when the nonce cannot be spent. */
export async function listSessions(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
  query: SessionQuery,
): Promise<{ sessions: ReadSession[]; next: SessionPosition | null }> {
  const { rows } = await pool.query<PageRow>(listStatement(caller, query));
  checkSpent(rows[0] as PageRow, caller);
  const found = rows.filter((row): row is PageRow & SessionRow & MoneyRow => row.id !== null).map(readFacts);
  const sessions = found.slice(0, query.limit);
  // The statement reads one row more than the page holds, to detect the last page.
  return { sessions, next: found.length > query.limit ? (sessions.at(-1) ?? null) : null };
}

type PageRow = SpentRow & { id: string | null };

/** What must match the partial indexes of sessions literally, so that PostgreSQL uses them (migrations sessions_…_of_store). */
const INDEXED: Readonly<Record<SessionStatus, string>> = {
  completed: ' AND s.completed_network IS NOT NULL',
  expired: '',
  pending: ` AND s.status NOT IN ('completed', 'expired')`,
  canceled: ` AND s.status NOT IN ('completed', 'expired')`,
  failed: ` AND s.status NOT IN ('completed', 'expired')`,
};

/** SQL: a session `s` has this status. */
export const hasStatus = (status: SessionStatus, given: (value: unknown) => string): string =>
  `s.status = ${given(status)}::"SessionStatus"${INDEXED[status]}`;

/**
 * The statement with its values. It has only the requested conditions and no name, so that PostgreSQL plans with their values and
 * uses the index that fits them.
 */
export function listStatement({ key, nonce }: Caller, query: SessionQuery): { text: string; values: unknown[] } {
  const values: unknown[] = [key.id, nonce, key.storeId, key.environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ['s.store_id = $3', 's.environment = $4::"Environment"'];
  if (query.status !== undefined) conditions.push(hasStatus(query.status, given));
  if (query.orderId !== undefined) conditions.push(`s.order_id = ${given(query.orderId)}`);
  if (query.from !== undefined) conditions.push(`s.created_at >= ${given(query.from)}`);
  if (query.to !== undefined) conditions.push(`s.created_at < ${given(query.to)}`);
  if (query.after !== null)
    conditions.push(`(s.created_at, s.id) < (${given(query.after.createdAt)}, ${given(query.after.id)})`);
  const text = `
WITH ${SPEND_NONCE},
  page AS (SELECT ${SESSION_COLUMNS}, ${MONEY_COLUMNS} FROM sessions s WHERE ${conditions.join(' AND ')}
           ORDER BY s.created_at DESC, s.id DESC LIMIT ${given(query.limit + 1)})
SELECT ${SPENT_COLUMNS}, page.* FROM (VALUES (1)) AS one LEFT JOIN page ON true
ORDER BY page.created_at DESC, page.id DESC`;
  return { text, values };
}
