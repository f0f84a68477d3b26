// Every page of the documentation in reading order: for its navigation, its index, and the links to the previous and next page.

import type { DocsTexts } from './docs-text';
import { shownGuides } from './guides';

export type DocsPage = { readonly path: string; readonly title: string; readonly summary: string };

export const docsPages = (docs: DocsTexts): readonly DocsPage[] => [
  { path: '/docs', title: docs.words.title, summary: docs.words.intro },
  ...shownGuides(docs).map(({ slug, title, summary }) => ({ path: `/docs/${slug}`, title, summary })),
  { path: '/docs/reference', title: docs.words.reference, summary: docs.words.referenceIntro },
  { path: '/docs/errors', title: docs.words.errors, summary: docs.words.errorsIntro },
];

/** The pages before and after the page at `path`; none at either end, or for a page outside the reading order. */
export function neighboursOf(
  pages: readonly DocsPage[],
  path: string,
): { readonly previous?: DocsPage; readonly next?: DocsPage } {
  const place = pages.findIndex((page) => page.path === path);
  if (place < 0) return {};
  const [previous, next] = [pages[place - 1], pages[place + 1]];
  return { ...(previous && { previous }), ...(next && { next }) };
}
