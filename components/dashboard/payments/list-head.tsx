'use client';
// The controls above a list: the search, the filters, and the export.

import { usePathname, useSearchParams } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { FilterBar, type Filter } from '@/components/ui/filter-bar';
import { SearchBox } from '@/components/ui/search-box';
import { useWords } from '@/components/ui/words';

type Props = {
  /** The address of the export, if the viewer may fetch it. */
  readonly exportPath: string | null;
  readonly search: string | null;
  readonly filters: readonly Filter[];
};

export function ListHead({ exportPath, search, filters }: Props) {
  const names = [...(search === null ? [] : ['q']), ...filters.map(({ name }) => name)];
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      {search !== null && <SearchBox label={search} />}
      <div className="min-w-0 max-sm:order-1 max-sm:basis-full">
        <FilterBar filters={filters} />
      </div>
      {exportPath !== null && <ExportLink path={exportPath} names={names} />}
    </div>
  );
}

/** The export has all pages of the filtered list; it keeps no other parameter of the page's address. */
function ExportLink({ path, names }: { path: string; names: readonly string[] }) {
  const { t } = useWords();
  const shown = useSearchParams();
  const query = new URLSearchParams([...shown].filter(([name]) => names.includes(name)));
  return (
    <div className="ms-auto">
      <ButtonLink href={`/api/dashboard${path}${query.size > 0 ? `?${query}` : ''}`} icon="download" download>
        {t('payExport')}
      </ButtonLink>
    </div>
  );
}

/** Paths of the previous and the next page, with the rest of the address. */
export function usePageLinks(): (name: 'after' | 'before', cursor: string | null) => string | null {
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
