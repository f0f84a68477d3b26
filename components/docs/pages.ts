// Every page of the documentation in reading order: for its navigation, its index, and the links to the previous and next page.

import { DOCS_WORDS } from './docs-text';
import { GUIDES } from './guides';

export type DocsPage = { readonly path: string; readonly title: string; readonly summary: string };

export const DOCS_PAGES: readonly DocsPage[] = [
  { path: '/docs', title: DOCS_WORDS.title, summary: DOCS_WORDS.intro },
  ...GUIDES.map(({ slug, title, summary }) => ({ path: `/docs/${slug}`, title, summary })),
  { path: '/docs/reference', title: DOCS_WORDS.reference, summary: DOCS_WORDS.referenceIntro },
  { path: '/docs/errors', title: DOCS_WORDS.errors, summary: DOCS_WORDS.errorsIntro },
];

/** The pages before and after the page at `path`; none at either end, or for a page outside the reading order. */
export function neighboursOf(path: string): { readonly previous?: DocsPage; readonly next?: DocsPage } {
  const place = DOCS_PAGES.findIndex((page) => page.path === path);
  if (place < 0) return {};
  const [previous, next] = [DOCS_PAGES[place - 1], DOCS_PAGES[place + 1]];
  return { ...(previous && { previous }), ...(next && { next }) };
}
