// The events of a store in pages, in the order in which they were committed. One statement spends the request nonce and
// reads one page.
// Each event carries the position of the transaction that wrote it. Transactions do not commit in the order in which
// they began, so an event can appear below one that was already read. A reader who remembers only the last event would
// miss it for ever.
// Oldest first, a page therefore ends before the oldest transaction that is still open in this statement's snapshot.
// Every position below it is decided, so a reader who continues from the end of a page gets every event exactly once.
// An event is shown only when every older writing transaction has ended, including those of other programs on the same
// PostgreSQL. This normally takes milliseconds, and our own transactions have a time limit. Newest first, for the
// console, all committed events are shown at once.

import { checkSpent, SPEND_NONCE, SPENT_COLUMNS, type Caller, type SpentRow } from '@/lib/merchants/api-keys/nonces';
import type { Context } from '@/lib/platform/context';
import type { EventType } from './events';

/** The last event of the previous page. `writtenIn` is text of an integer. */
export type EventPosition = { readonly writtenIn: string; readonly id: string };

type EventFilters = {
  /** All types by default. */
  readonly types?: readonly EventType[] | undefined;
  /** Ids of the session or refund that an event is about. */
  readonly objectIds?: readonly string[] | undefined;
  /** Created at or after `from`, and before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
};

export type EventQuery = EventFilters & {
  /** `asc`: oldest first, without events that an uncommitted one could still precede. */
  readonly order: 'asc' | 'desc';
  readonly after: EventPosition | null;
  /** Events in one page. */
  readonly limit: number;
};

export type EventPage = {
  /** The exact texts that were stored and delivered. */
  readonly bodies: readonly string[];
  /** The end of the page; null when it is empty. */
  readonly last: EventPosition | null;
  /** Whether there are more now. */
  readonly isMore: boolean;
};

/** Reads one page. Throws the reason when the nonce cannot be spent. */
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
    // Requests one more row than the page holds, to recognize the last page.
    isMore: found.length > query.limit,
  };
}

/**
 * The start position for a reader who wants every event from now on: before everything undecided, so that an event of a
 * running transaction counts as new. Spends the nonce; throws the reason when it cannot.
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

/** The position below which no event appears any more, according to the statement's snapshot. */
const DECIDED = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint + commit_base()';

/**
 * Whether there is an event after a position, decided or not. Cheap enough for polling. Only `listEvents` determines
 * which events to show.
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
 * The statement with its values. It is not named: it contains only the requested conditions, and PostgreSQL plans with
 * their values, so that it uses the matching index.
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
  // Read the horizon from the same snapshot as the page: a later one could lie above an event that the page misses.
  const decided = `decided AS MATERIALIZED (
    SELECT ${DECIDED} AS position)`;
  const few = (of: readonly string[]): string => `
    SELECT e.id, e.body, e.written_in FROM events e WHERE ${of.join(' AND ')}
    ORDER BY e.written_in ${direction}, e.id ${direction} LIMIT ${given(query.limit + 1)}`;
  // Each type has its own order in the index, so a page of each is read and merged.
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
