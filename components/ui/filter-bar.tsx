'use client';
// Filters in the page's address, so that a list can be bookmarked, shared and reached with Back. All but the first are
// in a fold, which is open while one of them is set. Without scripts they are a form.

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import type { FormEvent, ReactNode } from 'react';
import { Button, buttonClass } from './button';
import { Icon } from './icon';
import { Link } from './link';
import { BareSelect, type Option } from './select';
import { useWords } from './words';

/** With scripts every change is sent at once; Enter has nothing left to send. */
const stay = (event: FormEvent) => event.preventDefault();

export type Filter = { readonly name: string; readonly label: string } & (
  { readonly kind: 'choice'; readonly options: readonly Option[] } | { readonly kind: 'date' }
);

/** The number of visible filters; a fold for a single one would hide more than it saves. */
const IN_SIGHT = 2;

/** `forgets`: parameters that a changed filter drops, such as the cursor. */
export function FilterBar({
  filters,
  forgets = ['after', 'before'],
}: {
  filters: readonly Filter[];
  forgets?: readonly string[];
}) {
  const { t } = useWords();
  const router = useRouter();
  const path = usePathname();
  const query = useSearchParams();
  const names = filters.map(({ name }) => name);
  // A single filter is cleared by its own first choice.
  const isFiltered = names.length > 1 && names.some((name) => query.has(name));

  const change = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    for (const one of [name, ...forgets]) next.delete(one);
    if (value !== '') next.set(name, value);
    router.push(next.size > 0 ? `${path}?${next}` : path, { scroll: false });
  };
  const cleared = new URLSearchParams([...query].filter(([name]) => ![...names, ...forgets].includes(name)));

  const [inSight, folded] =
    filters.length > IN_SIGHT + 1 ? [filters.slice(0, IN_SIGHT), filters.slice(IN_SIGHT)] : [filters, []];
  const control = (filter: Filter): ReactNode => (
    <Control
      key={`${filter.name}-${query.get(filter.name) ?? ''}`}
      filter={filter}
      value={query.get(filter.name) ?? ''}
      onChange={(value) => change(filter.name, value)}
    />
  );

  /** Two choices, or two dates below their labels, share a line on phones. */
  const controls = (some: readonly Filter[]) => {
    const dates = some.filter(({ kind }) => kind === 'date');
    const choices = some.filter(({ kind }) => kind === 'choice');
    return (
      <>
        {choices.length > 0 && (
          <div className="grid basis-full gap-2 max-sm:grid-cols-2 sm:contents">{choices.map(control)}</div>
        )}
        {dates.length > 0 && <div className="flex min-w-0 basis-full gap-2 sm:contents">{dates.map(control)}</div>}
      </>
    );
  };

  return (
    <form
      method="get"
      action={path}
      onSubmit={stay}
      aria-label={t('uiFilters')}
      className="flex flex-wrap items-center gap-2"
    >
      {[...query].map(([key, value]) =>
        names.includes(key) || forgets.includes(key) ? null : (
          <input key={key} type="hidden" name={key} value={value} />
        ),
      )}
      {controls(inSight)}
      {folded.length > 0 && (
        <details open={folded.some(({ name }) => query.has(name))} className="contents">
          <summary className={`${buttonClass('quiet', 'small')} cursor-pointer`}>
            {t('uiMoreFilters')}
            <Icon name="down" size={14} />
          </summary>
          <div className="flex basis-full flex-wrap items-center gap-2">{controls(folded)}</div>
        </details>
      )}
      <noscript>
        <Button type="submit" size="small">
          {t('uiApply')}
        </Button>
      </noscript>
      {isFiltered && (
        <Link href={cleared.size > 0 ? `${path}?${cleared}` : path} className={buttonClass('quiet', 'small')}>
          {t('uiClearFilters')}
        </Link>
      )}
    </form>
  );
}

type ControlProps = {
  readonly filter: Filter;
  readonly value: string;
  readonly onChange: (value: string) => void;
};

function Control({ filter, value, onChange }: ControlProps) {
  if (filter.kind === 'choice') {
    return (
      <BareSelect
        name={filter.name}
        label={filter.label}
        defaultValue={value}
        onChange={(event) => onChange(event.target.value)}
        options={[{ value: '', label: filter.label }, ...filter.options]}
      />
    );
  }
  return (
    <label className="flex items-center gap-1.5 text-[0.8125rem] text-muted max-sm:min-w-0 max-sm:flex-1 max-sm:flex-col max-sm:items-stretch max-sm:gap-1">
      {filter.label}
      <input
        type="date"
        name={filter.name}
        defaultValue={value}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-8 min-w-0 rounded-lg border border-edge/50 bg-surface px-2 py-1 text-ink shadow-card pointer-coarse:min-h-11"
      />
    </label>
  );
}
