// Lists: a table with a head that stays in sight, cards on phones, and rows that are links as a whole while remaining a table
// with one real link each. Drawn by the server; needs no scripts.

import type { ReactNode } from 'react';
import { Link } from './link';
import { shortened } from './shortened';

export type Column<Row> = {
  readonly key: string;
  readonly header: string;
  /** Drawn in the head instead of its text. Cards have no head: what it does must be elsewhere too. */
  readonly head?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers and amounts stand at the end of their column. */
  readonly isNumeric?: boolean;
  /** Where it stands on a card: `title` and `side` head it, `under` and `end` are the line below, `wide` a line of its own without a label, `tick` stands before all of it and `menu` after it, `hidden` leaves it out. Empty cells are left out. */
  readonly onPhone?: 'tick' | 'menu' | 'title' | 'side' | 'under' | 'end' | 'wide' | 'hidden';
  /** Leaves the column out on narrow screens that still show a table. */
  readonly isExtra?: boolean;
  /** A header that only screen readers are told, for columns of buttons. */
  readonly isHeaderHidden?: boolean;
};

type Props<Row> = {
  /** What the list is, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Where a row leads. The first column then holds its link. */
  readonly rowHref?: (row: Row) => string;
  /** Shown instead when there are no rows: an `Empty`. */
  readonly empty: ReactNode;
  /** Below the rows: a `Pager`. */
  readonly foot?: ReactNode;
  /** Without its own border, inside a flush `Card`. */
  readonly isBare?: boolean;
};

export function Table<Row>({ label, columns, rows, rowKey, rowHref, empty, foot, isBare }: Props<Row>) {
  const frame = isBare ? '' : 'rounded-xl border border-line bg-surface shadow-card';
  if (rows.length === 0) {
    return (
      <div className={frame}>
        {empty}
        {foot}
      </div>
    );
  }
  return (
    <div className={frame}>
      <table className="cards w-full" aria-label={label}>
        <thead className="text-xs text-muted">
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={`sticky top-(--bar,0px) z-10 border-b border-line bg-surface px-3 py-2.5 align-bottom font-semibold wrap-normal first:rounded-ss-xl first:ps-5 last:rounded-se-xl last:pe-5 ${column.isNumeric ? 'text-end' : ''} ${column.isExtra ? 'max-lg:hidden' : ''}`}
              >
                {column.head ??
                  (column.isHeaderHidden ? <span className="only-read">{column.header}</span> : column.header)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={rowKey(row)}
              className={`border-b border-line last:border-b-0 ${rowHref ? 'relative hover:bg-hover' : ''}`}
            >
              {columns.map((column, index) => (
                <td
                  key={column.key}
                  data-label={column.isHeaderHidden ? undefined : column.header}
                  data-place={column.onPhone}
                  className={`align-middle md:h-12 md:px-3 md:py-2 md:first:ps-5 md:last:pe-5 ${column.isNumeric ? 'text-end tabular-nums' : ''} ${column.isExtra ? 'md:max-lg:hidden' : ''}`}
                >
                  {rowHref && index === 0 ? (
                    <Link
                      href={rowHref(row)}
                      className="font-semibold text-ink no-underline after:absolute after:inset-0 hover:text-accent"
                    >
                      {column.cell(row)}
                    </Link>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {foot}
    </div>
  );
}

/** A text without a space that is longer is an id, of which the end tells as much as the beginning. */
const LONGEST_WORD = 22;

/** A name that has one line in its column, however long it is: whole on hover and for screen readers. */
export function OneLine({ text, whole = text, isMuted = false }: { text: string; whole?: string; isMuted?: boolean }) {
  const isShortened = text.length > LONGEST_WORD && !/\s/.test(text);
  return (
    <bdi title={whole} className={`block w-fit max-w-[46vw] truncate md:max-w-44 ${isMuted ? 'text-muted' : ''}`}>
      {isShortened ? (
        <>
          <span aria-hidden="true">{shortened(text)}</span>
          <span className="only-read">{text}</span>
        </>
      ) : (
        text
      )}
    </bdi>
  );
}

/** Lets a control in a row that is a link be pressed. */
export function AboveRow({ children }: { children: ReactNode }) {
  return <span className="relative z-1 inline-flex items-center gap-2">{children}</span>;
}
