// Results of a search in the documentation. Works without scripts; the address can be shared.

import type { Metadata } from 'next';
import { currentDocs } from '@/components/docs/current-docs';
import { DocsFrame } from '@/components/docs/docs-frame';
import { RichText } from '@/components/docs/rich-text';
import { excerpt, openSearch } from '@/components/docs/search';
import { documentOf } from '@/lib/api/openapi/serve';
import type { DocsLocale } from '@/lib/i18n/docs';

type Props = { readonly searchParams: Promise<{ readonly q?: string | readonly string[] }> };

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await currentDocs()).words.search.label,
  robots: { index: false },
});

const opened = new Map<DocsLocale, ReturnType<typeof openSearch>>();

/** A language's index is made with its first search: a build has no settings, and the documentation changes with a release only. */
async function search(query: string) {
  const docs = await currentDocs();
  const index = opened.get(docs.locale) ?? openSearch(documentOf(), docs);
  opened.set(docs.locale, index);
  return index(query);
}

export default async function SearchPage({ searchParams }: Props) {
  const { q = '' } = await searchParams;
  const query = [q].flat()[0]?.trim() ?? '';
  const words = (await currentDocs()).words.search;
  const found = query === '' ? [] : await search(query);
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
