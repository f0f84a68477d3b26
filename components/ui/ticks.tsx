'use client';
// Ticks at the rows of a list, for doing something with several at once.

import { useState } from 'react';

/** `ids`: of the rows that are shown. Rows that a refreshed page no longer shows are not chosen unseen. */
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
  return { chosen: ids.filter((id) => ticked.has(id)), tick, clear: () => setTicked(new Set()) };
}

type TickProps = { readonly label?: string; readonly isOn: boolean; readonly onChange: (isOn: boolean) => void };

/** `label`: what it ticks, where no text stands beside it. */
export function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <input
      type="checkbox"
      aria-label={label}
      checked={isOn}
      onChange={(event) => onChange(event.target.checked)}
      className="size-4.5 accent-accent pointer-coarse:size-6"
    />
  );
}

/** The tick of all rows, with its text. */
export function TickAll({ label, isOn, onChange }: TickProps & { readonly label: string }) {
  return (
    <label className="inline-flex items-center gap-2 pointer-coarse:min-h-11">
      <Tick isOn={isOn} onChange={onChange} />
      {label}
    </label>
  );
}
