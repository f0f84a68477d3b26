'use client';
// Ticks on list rows, for bulk actions. The head of their column has a tick for all rows. While rows are ticked, a bar
// is shown at the end of the list. There it moves no rows; on phones it is above the navigation bar.

import { useState, type ReactNode } from 'react';
import type { Column } from './table';
import { useWords } from './words';

/** `ids`: of the rows that can be ticked. Rows that disappear after a refresh are no longer ticked. */
export function useTicks(ids: readonly string[]) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const tick = (some: readonly string[], isOn: boolean) =>
    setTicked((before) => {
      const next = new Set(before);
      for (const id of some)
        if (isOn) next.add(id);
        else next.delete(id);
      return next;
    });
  const chosen = ids.filter((id) => ticked.has(id));
  return {
    chosen,
    tick,
    clear: () => setTicked(new Set()),
    all: { isOn: chosen.length === ids.length, onChange: (isOn: boolean) => tick(ids, isOn) },
  };
}

type Ticks = ReturnType<typeof useTicks>;

/** `nameOf`: the name of a row's tick; null for a row that has none. */
export const tickColumn = <Row extends { readonly id: string }>(
  header: string,
  { chosen, tick, all }: Ticks,
  nameOf: (row: Row) => string | null,
): Column<Row> => ({
  key: 'select',
  header,
  head: (
    <span className="needs-scripts max-md:hidden">
      <Tick label={header} {...all} />
    </span>
  ),
  isHeaderHidden: true,
  onPhone: 'tick',
  cell: (row) => {
    const name = nameOf(row);
    return (
      name !== null && (
        <span className="needs-scripts">
          <Tick label={name} isOn={chosen.includes(row.id)} onChange={(isOn) => tick([row.id], isOn)} />
        </span>
      )
    );
  },
});

type TickProps = { readonly label?: string; readonly isOn: boolean; readonly onChange: (isOn: boolean) => void };

/** `label`: what it ticks, if no text stands beside it. */
function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
      className="block size-4.5 accent-accent pointer-coarse:size-6"
    />
  );
}

/** The tick of all rows for phones, whose cards have no head. */
export function TickAll({ label, ticks: { all } }: { label: string; ticks: Ticks }) {
  return (
    <label className="needs-scripts inline-flex min-h-11 items-center gap-2 px-4 md:hidden">
      <Tick {...all} />
      {label}
    </label>
  );
}

/** The actions on the ticked rows. */
export function TickBar({ ticks: { chosen }, children }: { ticks: Ticks; children: ReactNode }) {
  const { t } = useWords();
  return (
    <div
      className={`sticky bottom-0 z-10 max-md:bottom-[calc(3.5rem+env(safe-area-inset-bottom))] flex flex-wrap items-center gap-2 rounded-b-xl border-line bg-raised px-5 ${chosen.length > 0 ? 'border-t py-2.5 shadow-pop' : ''}`}
    >
      <span role="status" className="text-muted">
        {chosen.length > 0 && t('uiSelected', { count: chosen.length })}
      </span>
      {chosen.length > 0 && children}
    </div>
  );
}
