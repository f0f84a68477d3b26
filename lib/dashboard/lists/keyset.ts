// Pages of a growing list. A page begins beside a row, whose time and id never change, and continues to older rows (`after`) or
// newer ones (`before`). Rows that are added meanwhile cause no duplicates and no gaps, and the cost of a page does not depend
// on the list's length.

import { ServiceError } from '@/lib/platform/errors/errors';

/** A row's position in its list. */
export type Place = { readonly createdAt: Date; readonly id: string };

/** Which page: the rows older than `after`, or those newer than `before`. The first page without either. */
export type PageRequest = { readonly after: Place | null; readonly before: Place | null; readonly limit: number };

export type Page<Row> = {
  readonly rows: readonly Row[];
  /** Cursors of the adjacent pages; null where there are no more rows. */
  readonly older: string | null;
  readonly newer: string | null;
};

/** Rows on a page of a list. */
export const PAGE_ROWS = 25;
export const FIRST_PAGE: PageRequest = { after: null, before: null, limit: PAGE_ROWS };

/** The end of a statement over columns of time and id. `given` turns a value into a parameter. */
export function keyset(
  { after, before, limit }: PageRequest,
  [time, id]: readonly [time: string, id: string],
  given: (value: unknown) => string,
): { readonly condition: string; readonly order: string } {
  const place = before ?? after;
  const sign = before ? '>' : '<';
  const direction = before ? 'ASC' : 'DESC';
  return {
    condition: place ? ` AND (${time}, ${id}) ${sign} (${given(place.createdAt)}, ${given(place.id)})` : '',
    // One row more than the page shows whether there is a next one.
    order: `ORDER BY ${time} ${direction}, ${id} ${direction} LIMIT ${given(limit + 1)}`,
  };
}

/** The page from the rows that such a statement returned. */
export function pageOf<Row>(found: readonly Row[], pageRequest: PageRequest, placeOf: (row: Row) => Place): Page<Row> {
  const shown = found.slice(0, pageRequest.limit);
  const isMore = found.length > pageRequest.limit;
  const rows = pageRequest.before ? shown.toReversed() : shown;
  const [first, last] = [rows[0], rows.at(-1)];
  const hasNewer = pageRequest.before ? isMore : pageRequest.after !== null;
  const hasOlder = pageRequest.before ? true : isMore;
  return {
    rows,
    newer: first && hasNewer ? writeCursor(placeOf(first)) : null,
    older: last && hasOlder ? writeCursor(placeOf(last)) : null,
  };
}

const VERSION = 'd1';

export const writeCursor = ({ createdAt, id }: Place): string =>
  Buffer.from(`${VERSION} ${createdAt.getTime()} ${id}`).toString('base64url');

/** Throws INVALID_PARAMETER for an invalid cursor. */
export function readCursor(text: string): Place {
  const [version, time = '', id = '', ...rest] =
    text.length <= 300 ? Buffer.from(text, 'base64url').toString().split(' ') : [];
  const isRight =
    version === VERSION && /^\d{1,14}$/.test(time) && /^[0-9A-Za-z_]{1,100}$/.test(id) && rest.length === 0;
  if (!isRight) throw new ServiceError('INVALID_PARAMETER', { param: 'cursor' });
  return { createdAt: new Date(Number(time)), id };
}
