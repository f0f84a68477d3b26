// CSV files that spreadsheets open directly (RFC 4180). They are read and written in portions, and reading stops when the
// client disconnects. A cell that a spreadsheet could take for a formula is escaped as text.

import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null;
/** Yields the next rows. */
export type Portions = AsyncGenerator<readonly (readonly Cell[])[], void, undefined>;

/** Characters that begin a formula in spreadsheets, in both widths, and invisible ones that hide such a beginning. */
const FORMULA = /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Excel needs it to detect UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** A cell that no spreadsheet evaluates. Characters that a text file cannot hold are removed. */
export function safeCell(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  return (FORMULA.test(text) ? `'${text}` : text).replaceAll('\0', '');
}

/** A download under `name`. The next portion is read only after the client took the last one. */
export const csvResponse = (name: string, head: readonly string[], portions: Portions): Response =>
  fileResponse({ name, type: 'text/csv' }, csvChunks(head, portions));

/** The text of a CSV file: its head, then portion by portion. */
export async function* csvChunks(
  head: readonly string[],
  portions: AsyncIterable<readonly (readonly Cell[])[]>,
): AsyncGenerator<string, void, undefined> {
  yield BYTE_ORDER_MARK + csvText([head]);
  for await (const rows of portions) yield csvText(rows);
}

/** A download of UTF-8 text. A disconnected client ends `chunks`. An error after the beginning breaks the download off. */
export function fileResponse(
  { name, type }: { readonly name: string; readonly type: string },
  chunks: AsyncGenerator<string, void, undefined>,
): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await chunks.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(next.value));
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'Content-Type': `${type}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

const csvText = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(safeCell)),
    // Always quoted: a spreadsheet that separates by semicolons could otherwise find a formula inside a cell.
    { record_delimiter: 'windows', quoted: true, quoted_empty: true },
  );
