// The events of a store, page by page, in the order in which they became true: one statement that spends the nonce and reads
// one page.
//
// Each event carries the position of the transaction that wrote it. Transactions do not end in the order in which they
// began, so an event can appear below one that was read already; a reader who remembers the last one would miss it for ever.
// Oldest first, a page therefore ends before the oldest transaction that is still open as this statement sees the database:
// every position below it is decided, nothing appears there any more, and a reader who goes on from where a page ended gets
// every event exactly once. An event is shown so only when every writing transaction older than its own has ended, another
// program's on the same PostgreSQL included: normally within milliseconds, and ours within their time limit. Newest first,
// everything that is there is shown at once, for people who look.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import type { EventType } from './events';

/** The event that the page before ended with. `writtenIn` as text of an integer. */
export type EventPosition = { readonly writtenIn: string; readonly id: string };

export type EventFilters = {
  /** All of them unless given. */
  readonly types?: readonly EventType[] | undefined;
  /** Names of the session or refund that an event is about. */
  readonly objectIds?: readonly string[] | undefined;
  /** Created at or after `from`, and before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

export type EventQuery = EventFilters & {
  /** `asc`: oldest first, and nothing that could be overtaken. */
  readonly order: 'asc' | 'desc';
  readonly after: EventPosition | null;
  /** Events in one page. */
  readonly limit: number;
};

export type EventPage = {
  /** The exact texts that were recorded and delivered. */
  readonly bodies: readonly string[];
  /** Where the page ended; null when it is empty. */
  readonly last: EventPosition | null;
  /** Whether there are more now. */
  readonly isMore: boolean;
};

/** One page. Throws why the nonce could not be spent. */
export async function listEvents(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
  query: EventQuery,
): Promise<EventPage> {
  const { rows } = await pool.query<Row>(listStatement(caller, query));
  checkSpent(rows[0] as Row, caller);
  const found = rows.filter((row): row is EventRow => row.id !== null);
  const shown = found.slice(0, query.limit);
  const last = shown.at(-1);
  return {
    bodies: shown.map(({ body }) => body),
    last: last ? { writtenIn: last.written_in, id: last.id } : null,
    // One more row was asked for than the page holds, so that the last page is known to be the last.
    isMore: found.length > query.limit,
  };
}

/**
 * Where somebody begins who wants every event from now on: before everything that is still undecided, so that an event counts as
 * new whose transaction had begun and not ended. Spends the nonce; throws why it could not.
 */
export async function presentPosition(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  caller: Caller,
): Promise<EventPosition> {
  const { rows } = await pool.query<SpentRow & { position: string }>({
    name: 'events-present-position',
    text: `WITH ${SPEND_NONCE} SELECT ${SPENT_COLUMNS}, (${DECIDED})::text AS position`,
    values: [caller.key.id, caller.nonce],
  });
  const row = rows[0] as SpentRow & { position: string };
  checkSpent(row, caller);
  return { writtenIn: row.position, id: '' };
}

/** The position below which nothing appears any more, as the statement sees the database. */
const DECIDED = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint + commit_base()';

/**
 * Whether there is an event beyond a position, decided or not: a look that is cheap enough to be repeated. Only `listEvents`
 * tells which are to be shown.
 */
export async function hasEventAfter(
  { pool }: { pool: Pick<Context['pool'], 'query'> },
  { storeId, environment }: Pick<Caller['key'], 'storeId' | 'environment'>,
  { after, types }: { readonly after: EventPosition; readonly types?: readonly EventType[] | undefined },
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'has-event-after',
    text: `SELECT 1 FROM events WHERE store_id = $1 AND environment = $2::"Environment" AND NOT is_test
             AND (written_in, id) > ($3::bigint, $4) AND ($5::text[] IS NULL OR type = ANY ($5)) LIMIT 1`,
    values: [storeId, environment, after.writtenIn, after.id, types ?? null],
  });
  return rowCount === 1;
}

type EventRow = SpentRow & { id: string; body: string; written_in: string };
type Row = EventRow | (SpentRow & { id: null });

/**
 * The statement with its values. It is not named: it holds only the conditions that were asked for, and PostgreSQL then plans
 * with their values, so that the index that fits them is used.
 */
export function listStatement({ key, nonce }: Caller, query: EventQuery): { text: string; values: unknown[] } {
  const values: unknown[] = [key.id, nonce, key.storeId, key.environment];
  const given = (value: unknown): string => `$${values.push(value)}`;
  const [beyond, direction] = query.order === 'asc' ? ['>', 'ASC'] : ['<', 'DESC'];
  const conditions = ['e.store_id = $3', 'e.environment = $4::"Environment"', 'NOT e.is_test'];
  if (query.types?.length === 1) conditions.push(`e.type = ${given(query.types[0])}`);
  if (query.objectIds !== undefined) conditions.push(`e.object_id = ANY(${given(query.objectIds)})`);
  if (query.from !== undefined) conditions.push(`e.created_at >= ${given(query.from)}`);
  if (query.to !== undefined) conditions.push(`e.created_at < ${given(query.to)}`);
  if (query.after !== null) {
    const { writtenIn, id } = query.after;
    conditions.push(`(e.written_in, e.id) ${beyond} (${given(writtenIn)}::bigint, ${given(id)})`);
  }
  if (query.order === 'asc') conditions.push('e.written_in < (SELECT position FROM decided)');
  // The horizon is asked of the very snapshot that the page is read with: a later one could lie above an event not seen here.
  const decided = `decided AS MATERIALIZED (
    SELECT ${DECIDED} AS position)`;
  const few = (of: readonly string[]): string => `
    SELECT e.id, e.body, e.written_in FROM events e WHERE ${of.join(' AND ')}
    ORDER BY e.written_in ${direction}, e.id ${direction} LIMIT ${given(query.limit + 1)}`;
  // Of several types each has its own order in the index: a page of each is read, and put in order.
  const page =
    query.types === undefined || query.types.length === 1
      ? few(conditions)
      : `SELECT e.* FROM unnest(${given(query.types)}::text[]) AS t (type), LATERAL (${few([...conditions, 'e.type = t.type'])}) e
         ORDER BY e.written_in ${direction}, e.id ${direction} LIMIT ${given(query.limit + 1)}`;
  const text = `
WITH ${SPEND_NONCE},
  ${query.order === 'asc' ? `${decided},` : ''}
  page AS (${page})
SELECT ${SPENT_COLUMNS}, page.* FROM (VALUES (1)) AS one LEFT JOIN page ON true
ORDER BY page.written_in ${direction}, page.id ${direction}`;
  return { text, values };
}
