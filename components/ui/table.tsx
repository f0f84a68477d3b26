// Lists: a table with a sticky head, cards where it is too wide, and rows that act as links while remaining a table with one real
// link each. Rendered by the server; needs no scripts.

import type { ReactNode } from 'react';
import { Link } from './link';
import { shortened } from './shortened';

export type Column<Row> = {
  readonly key: string;
  readonly header: string;
  /** Rendered in the head instead of its text. Cards have no head: its function must be available elsewhere too. */
  readonly head?: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers and amounts are aligned to the end of their column. */
  readonly isNumeric?: boolean;
  /** Position on a card: `title`, `side` in its head; `under`, `end` in the line below; `wide` alone, unlabelled;
   * `tick` first; `menu` last; `hidden` omitted. Empty cells are omitted. */
  readonly onPhone?: 'tick' | 'menu' | 'title' | 'side' | 'under' | 'end' | 'wide' | 'hidden';
  /** Omits the column on narrow screens that still show a table; `wide`: on more of them. */
  readonly isExtra?: boolean | 'wide';
  /** For columns of buttons: a header for screen readers only. */
  readonly isHeaderHidden?: boolean;
};

type Props<Row> = {
  /** The name of the list for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** The link of a row. The first column then holds it. */
  readonly rowHref?: (row: Row) => string;
  /** Shown if there are no rows: an `Empty`. */
  readonly empty: ReactNode;
  /** Below the rows: a `Pager`. */
  readonly foot?: ReactNode;
  /** Without its own border, inside a flush `Card`. */
  readonly isBare?: boolean;
  /** Rows are cards on screens narrower than this. `md`, a phone, by default; more for many columns of amounts. `all`: in a narrow card. */
  readonly cardsBelow?: 'md' | 'lg' | 'xl' | 'all';
};

const CARDS = { md: 'max-md:cards', lg: 'max-lg:cards', xl: 'max-xl:cards', all: 'cards' } as const;
const CELL = {
  md: 'md:h-12 md:px-3 md:py-2 md:first:ps-5 md:last:pe-5',
  lg: 'lg:h-12 lg:px-3 lg:py-2 lg:first:ps-5 lg:last:pe-5',
  xl: 'xl:h-12 xl:px-3 xl:py-2 xl:first:ps-5 xl:last:pe-5',
  all: '',
} as const;
const EXTRA_HEAD = { true: 'max-lg:hidden', wide: 'max-xl:hidden' } as const;
const EXTRA_CELL = { true: 'md:max-lg:hidden', wide: 'md:max-xl:hidden' } as const;
const extra = (names: Readonly<Record<'true' | 'wide', string>>, isExtra: boolean | 'wide' = false): string =>
  isExtra === false ? '' : names[isExtra === 'wide' ? 'wide' : 'true'];

export function Table<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowHref,
  empty,
  foot,
  isBare,
  cardsBelow = 'md',
}: Props<Row>) {
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
      <table className={`${CARDS[cardsBelow]} w-full`} aria-label={label}>
        <thead className="text-xs text-muted">
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={`sticky top-(--bar,0px) z-10 border-b border-line bg-surface px-3 py-2.5 align-bottom font-semibold wrap-normal first:rounded-ss-xl first:ps-5 last:rounded-se-xl last:pe-5 ${column.isNumeric ? 'text-end' : ''} ${extra(EXTRA_HEAD, column.isExtra)}`}
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
                  className={`align-middle ${CELL[cardsBelow]} ${column.isNumeric ? 'text-end tabular-nums' : ''} ${extra(EXTRA_CELL, column.isExtra)}`}
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

/** A longer text without a space is an id; its end identifies it as much as its start. */
const LONGEST_WORD = 22;

/** A name on one line in its column, however long it is: complete on hover and for screen readers. */
export function OneLine({ text, whole = text, isMuted = false }: { text: string; whole?: string; isMuted?: boolean }) {
  const isShortened = text.length > LONGEST_WORD && !/\s/.test(text);
  // A shortened id has one ellipsis already: its column is wide enough for no second one.
  const width = isShortened ? 'max-w-[52vw] md:max-w-52' : 'max-w-[46vw] md:max-w-44';
  return (
    <bdi title={whole} className={`block w-fit truncate ${width} ${isMuted ? 'text-muted' : ''}`}>
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
