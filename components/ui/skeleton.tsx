// Grey placeholders for loading content, as large as the content, so that the layout does not shift.

import type { ReactNode } from 'react';

const BAR = 'block animate-pulse-slow rounded bg-hover';

export function Skeleton({ className = 'h-4 w-24' }: { className?: string }) {
  return <span aria-hidden="true" className={`${BAR} ${className}`} />;
}

/** For loading.tsx: announces once that the page is loading; `children` are its shapes. */
export function Loading({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div role="status" aria-busy="true">
      <span className="only-read">{label}</span>
      {children}
    </div>
  );
}

const ROWS = [...'abcdefghijklmnopqrstuvwxyz'];

/** A table that is loading; `rows` at most 26. */
export function TableSkeleton({ columns, rows = 10 }: { columns: number; rows?: number }) {
  return (
    <div className="overflow-hidden rounded-xl border border-line bg-surface" aria-hidden="true">
      {ROWS.slice(0, rows).map((row) => (
        <div key={row} className="flex h-12 items-center gap-6 border-b border-line px-5 last:border-b-0">
          {ROWS.slice(0, columns).map((cell) => (
            <span key={cell} className={`${BAR} h-3.5 flex-1`} />
          ))}
        </div>
      ))}
    </div>
  );
}
