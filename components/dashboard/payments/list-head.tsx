'use client';
// What stands above a list: the search, the filters, and the list as a file.

import { usePathname, useSearchParams } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { FilterBar, type Filter } from '@/components/ui/filter-bar';
import { SearchBox } from '@/components/ui/search-box';
import { useWords } from '@/components/ui/words';

type Props = {
  /** Where the file is fetched, when whoever looks may. */
  readonly exportPath: string | null;
  readonly search: string | null;
  readonly filters: readonly Filter[];
};

export function ListHead({ exportPath, search, filters }: Props) {
  const names = [...(search === null ? [] : ['q']), ...filters.map(({ name }) => name)];
  return (
    <div className="mb-4 grid items-start gap-2 sm:grid-cols-[minmax(0,1fr)_auto]">
      {search === null ? <FilterBar filters={filters} /> : <SearchBox label={search} />}
      {exportPath !== null && <ExportLink path={exportPath} names={names} />}
      {search !== null && (
        <div className="max-sm:row-start-2 sm:col-span-2">
          <FilterBar filters={filters} />
        </div>
      )}
    </div>
  );
}

/** The file holds what the page is filtered by, all pages of it, and nothing else of its address is asked for. */
function ExportLink({ path, names }: { path: string; names: readonly string[] }) {
  const { t } = useWords();
  const shown = useSearchParams();
  const query = new URLSearchParams([...shown].filter(([name]) => names.includes(name)));
  return (
    <div className="justify-self-end">
      <ButtonLink href={`/api/dashboard${path}${query.size > 0 ? `?${query}` : ''}`} icon="download" download>
        {t('payExport')}
      </ButtonLink>
    </div>
  );
}

/** Paths of the pages beside this one, with everything else of its address. */
export function useTurns(): (name: 'after' | 'before', cursor: string | null) => string | null {
  const path = usePathname();
  const query = useSearchParams();
  return (name, cursor) => {
    if (cursor === null) return null;
    const next = new URLSearchParams(query);
    next.delete('after');
    next.delete('before');
    next.set(name, cursor);
    return `${path}?${next}`;
  };
}
