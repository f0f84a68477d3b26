// Results of a search in the documentation. Works without scripts; the address can be shared.

import { DocsFrame } from '@/components/docs/docs-frame';
import { DOCS_WORDS } from '@/components/docs/docs-text';
import { RichText } from '@/components/docs/rich-text';
import { excerpt, openSearch } from '@/components/docs/search';
import { documentOf } from '@/lib/api/openapi/serve';

type Props = { readonly searchParams: Promise<{ readonly q?: string | readonly string[] }> };

export const metadata = { title: DOCS_WORDS.search.label, robots: { index: false } };

let opened: ReturnType<typeof openSearch> | undefined;

/** The index is made with the first search: a build has no settings, and the documentation changes with a release only. */
function search(query: string) {
  opened ??= openSearch(documentOf());
  return opened(query);
}

export default async function SearchPage({ searchParams }: Props) {
  const { q = '' } = await searchParams;
  const query = [q].flat()[0]?.trim() ?? '';
  const words = DOCS_WORDS.search;
  const found = query === '' ? [] : search(query);
  return (
    <DocsFrame current="/docs/search" query={query}>
      <h1>{words.title}</h1>
      <p role="status">
        {query === '' ? (
          <RichText text={words.hint} />
        ) : (
          (found.length > 0 ? words.found : words.none).replace('{query}', () => query)
        )}
      </p>
      <ul className="docs-list">
        {found.map(({ path, title, page, text }) => (
          <li key={path}>
            <a href={path}>{title}</a> <span className="muted">{page}</span>
            <p className="hint">{excerpt(text, query)}</p>
          </li>
        ))}
      </ul>
    </DocsFrame>
  );
}
