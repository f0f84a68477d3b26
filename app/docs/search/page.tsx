// Results of a search in the documentation. Works without scripts; the address can be shared.

import type { Metadata } from 'next';
import { currentDocs } from '@/components/docs/current-docs';
import { DocsFrame } from '@/components/docs/docs-frame';
import { RichText } from '@/components/docs/rich-text';
import { splitAtMatches, excerpt, openSearch, type Found } from '@/components/docs/search';
import { documentOf } from '@/lib/api/openapi/serve';
import type { DocsLocale } from '@/lib/i18n/docs';

type Props = { readonly searchParams: Promise<{ readonly q?: string | readonly string[] }> };

export const generateMetadata = async (): Promise<Metadata> => ({
  title: (await currentDocs()).words.search.label,
  robots: { index: false },
});

/** The number of results before "more" is requested. */
const FIRST = 10;

const opened = new Map<DocsLocale, ReturnType<typeof openSearch>>();

/** The first search builds a language's index: a build has no settings, and only a release changes the texts. */
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
      <Results found={found.slice(0, FIRST)} query={query} />
      {found.length > FIRST && (
        <details className="docs-more">
          <summary>{words.more}</summary>
          <Results found={found.slice(FIRST)} query={query} />
        </details>
      )}
    </DocsFrame>
  );
}

const Results = ({ found, query }: { found: readonly Found[]; query: string }) => (
  <ul className="docs-list docs-found">
    {found.map(({ path, title, page, text }) => (
      <li key={path}>
        <span className="docs-crumb">{page} ›</span>
        <a href={path}>{marked(title, query)}</a>
        <p className="hint">{marked(excerpt(text, query), query)}</p>
      </li>
    ))}
  </ul>
);

/** Every second part is a match of the query. */
const marked = (text: string, query: string) =>
  splitAtMatches(text, query).map((part, n) => (n % 2 === 1 ? <mark key={n}>{part}</mark> : part));
