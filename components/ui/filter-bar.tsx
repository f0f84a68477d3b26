'use client';
// Filters that live in the address of the page, so that a filtered list can be kept, shared and gone back to. Without scripts
// the same controls are a form with a button.

import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import type { FormEvent } from 'react';
import { Button, buttonClass } from './button';
import { Link } from './link';
import { BareSelect, type Option } from './select';
import { useWords } from './words';

/** With scripts every change is sent at once; Enter has nothing left to send. */
const stay = (event: FormEvent) => event.preventDefault();

export type Filter =
  | { readonly kind: 'choice'; readonly name: string; readonly label: string; readonly options: readonly Option[] }
  | { readonly kind: 'date'; readonly name: string; readonly label: string };

/** `forgets`: parameters that a changed filter leaves behind, such as the cursor. */
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
  const isFiltered = names.some((name) => query.has(name));

  const change = (name: string, value: string) => {
    const next = new URLSearchParams(query);
    for (const one of [name, ...forgets]) next.delete(one);
    if (value !== '') next.set(name, value);
    router.push(next.size > 0 ? `${path}?${next}` : path, { scroll: false });
  };
  const cleared = new URLSearchParams([...query].filter(([name]) => ![...names, ...forgets].includes(name)));

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
      {filters.map((filter) =>
        filter.kind === 'choice' ? (
          <BareSelect
            key={`${filter.name}-${query.get(filter.name) ?? ''}`}
            name={filter.name}
            label={filter.label}
            defaultValue={query.get(filter.name) ?? ''}
            onChange={(event) => change(filter.name, event.target.value)}
            options={[{ value: '', label: filter.label }, ...filter.options]}
          />
        ) : (
          <label
            key={`${filter.name}-${query.get(filter.name) ?? ''}`}
            className="flex items-center gap-1.5 text-[0.8125rem] text-muted"
          >
            {filter.label}
            <input
              type="date"
              name={filter.name}
              defaultValue={query.get(filter.name) ?? ''}
              onChange={(event) => change(filter.name, event.target.value)}
              className="min-h-8 rounded-lg border border-edge/50 bg-surface px-2 py-1 text-ink shadow-card pointer-coarse:min-h-11"
            />
          </label>
        ),
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
