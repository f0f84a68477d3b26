// The documentation's first page: the quick start, then every page by group.

import type { Metadata } from 'next';
import { currentDocs } from '@/components/docs/current-docs';
import { DocsFrame, LinkedHeading } from '@/components/docs/docs-frame';
import { groupedPages, START_PAGE } from '@/components/docs/pages';
import { RichText } from '@/components/docs/rich-text';

export const generateMetadata = async (): Promise<Metadata> => ({ title: (await currentDocs()).words.title });

export default async function DocsPage() {
  const docs = await currentDocs();
  const { words } = docs;
  const groups = groupedPages(docs).map(({ group, pages }) => ({
    id: `pages-${group}`,
    title: words.groups[group],
    pages: pages.filter(({ path }) => path !== '/docs' && path !== START_PAGE),
  }));
  const start = groupedPages(docs)
    .flatMap(({ pages }) => pages)
    .find(({ path }) => path === START_PAGE);
  return (
    <DocsFrame current="/docs" contents={groups}>
      <h1>{words.title}</h1>
      <p>{words.intro}</p>
      {start && (
        <ul className="docs-list docs-first">
          <li>
            <a href={start.path}>{start.title}</a>
            <p className="hint">{start.summary}</p>
          </li>
        </ul>
      )}
      {groups.map(({ id, title, pages }) => (
        <section key={id}>
          <LinkedHeading id={id} title={title} />
          <ul className="docs-list docs-pages">
            {pages.map(({ path, title: name, summary }) => (
              <li key={path}>
                <a href={path}>{name}</a>
                <p className="hint">
                  <RichText text={summary} />
                </p>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </DocsFrame>
  );
}
