// The frame around every documentation page: header with search, navigation, page contents, previous and next page. It
// works without scripts: on a phone the navigation is a popover that the browser opens.

import { Fragment, type ReactNode } from 'react';
import { LanguageSwitch } from '@/components/ui/language-switch';
import { ProductMark } from '@/components/ui/marks';
import { DOCS_LOCALES } from '@/lib/i18n/docs';
import { CodeChoice } from './code-choice';
import { currentDocs } from './current-docs';
import { docsPages, groupedPages, neighboursOf } from './pages';
import { Sample, type SampleProps } from './sample';
import { SampleWithKeys } from './sample-with-keys';
import { hasKeyPlaces } from './key-places';
import { languageOf } from './highlight';
import { ThemeChoice } from './theme-choice';

/** `id`: of the heading on the page. */
export type ContentsEntry = { readonly id: string; readonly title: string };
type FrameProps = {
  /** The path of the page, or of its parent page. */
  readonly current: string;
  readonly contents?: readonly ContentsEntry[];
  /** The search query, kept in the search field. */
  readonly query?: string | undefined;
  readonly children: ReactNode;
};

const MENU = 'docs-menu';

export async function DocsFrame({ current, contents = [], query, children }: FrameProps) {
  const docs = await currentDocs();
  const { words } = docs;
  return (
    <div className="docs docs-page">
      <a className="docs-skip" href="#content">
        {words.skip}
      </a>
      <DocsHeader query={query} />
      <nav className="docs-nav" id={MENU} popover="auto" aria-label={words.pages}>
        {groupedPages(docs).map(({ group, pages }) => (
          <Fragment key={group}>
            <p id={`group-${group}`}>{words.groups[group]}</p>
            <ul aria-labelledby={`group-${group}`}>
              {pages.map(({ path, title }) => (
                <li key={path}>
                  <a href={path} aria-current={path === current ? 'page' : undefined}>
                    {title}
                  </a>
                </li>
              ))}
            </ul>
          </Fragment>
        ))}
        <div className="docs-choices">
          <LanguageSwitch
            locales={DOCS_LOCALES}
            label={words.languageOfDocs}
            query={query === undefined ? {} : { q: query }}
          />
          <ThemeChoice label={words.theme.label} names={words.theme} />
        </div>
      </nav>
      <CodeChoice />
      <main id="content" tabIndex={-1}>
        {children}
        <Neighbours current={current} />
      </main>
      {contents.length > 1 && (
        <nav className="docs-contents" aria-labelledby="docs-contents">
          <h2 id="docs-contents">{words.contents}</h2>
          <ul>
            {contents.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  );
}

async function DocsHeader({ query }: Pick<FrameProps, 'query'>) {
  const { search, product, title, menu, dashboard } = (await currentDocs()).words;
  return (
    <header className="docs-header">
      <button type="button" className="button-quiet docs-menu-button" popoverTarget={MENU}>
        {menu}
      </button>
      <a className="docs-brand" href="/docs">
        <ProductMark /> <strong>{product}</strong> <span>{title}</span>
      </a>
      <form className="docs-search" role="search" action="/docs/search">
        <label className="only-read" htmlFor="docs-query">
          {search.label}
        </label>
        <input id="docs-query" type="search" name="q" maxLength={200} defaultValue={query} placeholder={search.go} />
        <button type="submit" className="button-quiet">
          {search.go}
        </button>
      </form>
      <a className="docs-dashboard" href="/dashboard">
        {dashboard}
      </a>
    </header>
  );
}

async function Neighbours({ current }: Pick<FrameProps, 'current'>) {
  const docs = await currentDocs();
  const { words } = docs;
  const { previous, next } = neighboursOf(docsPages(docs), current);
  if (!previous && !next) return null;
  return (
    <nav className="docs-neighbours" aria-label={words.neighbours}>
      {previous && (
        <a href={previous.path} rel="prev">
          <span>{words.previous}</span> {previous.title}
        </a>
      )}
      {next && (
        <a href={next.path} rel="next">
          <span>{words.next}</span> {next.title}
        </a>
      )}
    </nav>
  );
}

/** A heading that links can target. */
export function LinkedHeading({ id, title }: ContentsEntry) {
  return (
    <h2 id={id}>
      <a className="docs-anchor" href={`#${id}`}>
        {title}
      </a>
    </h2>
  );
}

/** A sample, filled with the reader's own keys if it has places for them. */
export async function CodeBlock({
  text,
  label,
  language = languageOf(text),
}: Pick<SampleProps, 'text' | 'label'> & Partial<SampleProps>) {
  const { copy, copied, copyFailed, fillKeys, keys } = (await currentDocs()).words;
  const words = { copy, copied, copyFailed };
  const sample = { text, label, language };
  return hasKeyPlaces(text) ? (
    <SampleWithKeys {...sample} words={{ ...words, fillKeys, keys }} />
  ) : (
    <Sample {...sample} words={words} />
  );
}
