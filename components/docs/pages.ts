// Every page of the documentation in reading order and in groups, for navigation, index, previous and next links.

import type { DocsTexts } from './docs-text';
import { shownGuides } from './guides';

export type DocsPage = { readonly path: string; readonly title: string; readonly summary: string };
type Group = keyof DocsTexts['words']['groups'];

/** The starting point for developers. */
export const START_PAGE = '/docs/quick-start';

/** The guides of each group in reading order; a test compares them with the guides that exist. */
export const GUIDE_GROUPS: Readonly<Record<Group, readonly string[]>> = {
  start: ['quick-start', 'sdk', 'keys', 'signing', 'sandbox', 'going-live'],
  payments: ['sessions', 'conversion', 'webhooks', 'embed', 'links'],
  afterSale: ['refunds', 'finder', 'payouts', 'statements', 'reserves'],
  reference: ['signature-version-2', 'quick-start-variant', 'limits'],
};

export function groupedPages(
  docs: DocsTexts,
): readonly { readonly group: Group; readonly pages: readonly DocsPage[] }[] {
  const { words } = docs;
  const guides = new Map(
    shownGuides(docs).map(({ slug, title, summary }) => [slug, { path: `/docs/${slug}`, title, summary }]),
  );
  const guidesOf = (group: Group) => GUIDE_GROUPS[group].flatMap((slug) => guides.get(slug) ?? []);
  const first = { path: '/docs', title: words.title, summary: words.intro };
  const reference = { path: '/docs/reference', title: words.reference, summary: words.referenceIntro };
  const errors = { path: '/docs/errors', title: words.errors, summary: words.errorsIntro };
  return [
    { group: 'start', pages: [first, ...guidesOf('start')] },
    { group: 'payments', pages: guidesOf('payments') },
    { group: 'afterSale', pages: guidesOf('afterSale') },
    { group: 'reference', pages: [reference, errors, ...guidesOf('reference')] },
  ];
}

export const docsPages = (docs: DocsTexts): readonly DocsPage[] => groupedPages(docs).flatMap(({ pages }) => pages);

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
