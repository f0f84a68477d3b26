// One key number, with its previous value.

import type { ReactNode } from 'react';

type Change = { readonly text: string; readonly tone: 'good' | 'bad' | 'plain' };
type Props = {
  readonly label: string;
  readonly value: ReactNode;
  readonly change?: Change | undefined;
  readonly hint?: ReactNode;
};

const TONES = { good: 'text-good', bad: 'text-bad', plain: 'text-muted' } as const;

export function Stat({ label, value, change, hint }: Props) {
  return (
    <div className="grid min-w-0 content-start gap-1 rounded-xl border border-line bg-surface px-3 py-4 shadow-card sm:px-4">
      <dt className="text-[0.8125rem] text-muted">{label}</dt>
      <dd className="text-lg leading-tight font-bold tracking-tight break-words tabular-nums sm:text-xl xl:text-2xl">
        {value}
      </dd>
      {(change ?? hint) && (
        <dd className="text-[0.8125rem] text-muted">
          {change && <span className={`font-semibold ${TONES[change.tone]}`}>{change.text}</span>}
          {change && hint && ' '}
          {hint}
        </dd>
      )}
    </div>
  );
}

/** Stats side by side. */
export function Stats({ children }: { children: ReactNode }) {
  return (
    <dl className="m-0 grid grid-cols-2 gap-3 has-[>:nth-child(3):last-child]:grid-cols-3 max-[22rem]:grid-cols-1! lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
      {children}
    </dl>
  );
}
