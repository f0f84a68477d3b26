// CSV files that spreadsheets open as they are (RFC 4180; hardening O-01, O-02): written while they are read, a portion at a
// time, and no further once whoever asked has gone. A cell that a spreadsheet would take for a formula is made text.

import { stringify } from 'csv-stringify/sync';

export type Cell = string | number | null;
/** Answers the next rows, or null after the last ones. */
export type Portions = AsyncGenerator<readonly (readonly Cell[])[], void, undefined>;

/** What spreadsheets begin a formula with, in both widths, and what hides such a beginning from who looks. */
const FORMULA = /^[=+\-@\t\r\n\0\uFF1D\uFF0B\uFF0D\uFF20]/;
/** Excel reads UTF-8 only behind it. */
const BYTE_ORDER_MARK = '\uFEFF';

/** A cell that no spreadsheet calculates. What no file of text may hold is left out. */
export function safeCell(cell: Cell): string {
  if (cell === null) return '';
  const text = String(cell);
  return (FORMULA.test(text) ? `'${text}` : text).replaceAll('\0', '');
}

/** A download under `name`. The next portion is read only when the last one was taken. */
export function csvResponse(name: string, head: readonly string[], portions: Portions): Response {
  const encoder = new TextEncoder();
  let isBegun = false;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!isBegun) {
          isBegun = true;
          controller.enqueue(encoder.encode(BYTE_ORDER_MARK + csvText([head])));
          return;
        }
        const next = await portions.next();
        if (next.done) controller.close();
        else controller.enqueue(encoder.encode(csvText(next.value)));
      },
      async cancel() {
        await portions.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

const csvText = (rows: readonly (readonly Cell[])[]): string =>
  stringify(
    rows.map((row) => row.map(safeCell)),
    // Quoted always: a spreadsheet that separates by semicolons would otherwise begin a formula inside a cell.
    { record_delimiter: 'windows', quoted: true, quoted_empty: true },
  );
