// Full-text search over the documentation: guides and their sections, error codes, operations and events.

import MiniSearch from 'minisearch';
import type { OpenApiDocument } from '@/lib/api/openapi/document';
import { DOCS_WORDS, type DocsTexts, type Section } from './docs-text';
import { shownGuides } from './guides';

/** `page`: the title of the page that holds it. `text`: plain, in the order of the page. */
export type Found = { readonly path: string; readonly title: string; readonly page: string; readonly text: string };

export const MAX_FOUND = 30;
/** A longer text is not a search and would only cost time. */
const MAX_CHARACTERS = 200;

/** Creates the search of one installation in one language (operations and events: English). It matches all words,
 * else some. Words match as prefixes, and longer words with one typing error in five letters. */
export function openSearch(
  document: Pick<OpenApiDocument, 'paths' | 'webhooks'>,
  docs: DocsTexts,
): (query: string) => readonly Found[] {
  const entries = [
    ...guideEntries(docs),
    ...sectionEntries(docs),
    ...errorEntries(docs),
    ...operationEntries(document),
  ];
  const index = new MiniSearch<Found>({
    fields: ['title', 'page', 'text'],
    idField: 'path',
    tokenize: wordsIn,
    searchOptions: {
      boost: { title: 4, page: 2 },
      boostDocument: (path) => weightOf(String(path)),
      prefix: true,
      fuzzy: 0.2,
      combineWith: 'AND',
    },
  });
  index.addAll(entries);
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  return (query) => {
    const queryText = query.slice(0, MAX_CHARACTERS);
    const all = index.search(queryText);
    const found = all.length > 0 ? all : index.search(queryText, { combineWith: 'OR' });
    return found.slice(0, MAX_FOUND).flatMap(({ id }) => byPath.get(String(id)) ?? []);
  };
}

/** Ranks explanations above calls, and calls above error codes, whose names hold the words of every guide. */
function weightOf(path: string): number {
  if (path.startsWith('/docs/errors/')) return 0.3;
  if (path.startsWith('/docs/reference#')) return 0.5;
  return path.includes('#') ? 1 : 3;
}

const segmenter = new Intl.Segmenter('zh', { granularity: 'word' });

/** Codes and paths as a whole and in parts; Chinese has no spaces, so a dictionary finds its words. */
function wordsIn(text: string): string[] {
  const chinese = (text.match(/\p{Script=Han}+/gu) ?? []).flatMap((run) =>
    [...segmenter.segment(run)].map(({ segment }) => segment),
  );
  const others = text.replaceAll(/\p{Script=Han}+/gu, ' ');
  return [...others.split(/[^\p{L}\p{N}_.]+/u), ...others.split(/[^\p{L}\p{N}]+/u), ...chinese].filter(Boolean);
}

const guideEntries = (docs: DocsTexts): Found[] =>
  shownGuides(docs).map(({ slug, title, summary }) => ({
    path: `/docs/${slug}`,
    title,
    page: docs.words.title,
    text: plain(summary),
  }));

const sectionEntries = (docs: DocsTexts): Found[] =>
  shownGuides(docs).flatMap((guide) =>
    guide.sections.map((section) => ({
      path: `/docs/${guide.slug}#${section.id}`,
      title: section.title,
      page: guide.title,
      text: plain(wordsOf(section)),
    })),
  );

const wordsOf = ({ text, list = [], steps = [], table }: Section): string =>
  [...text, ...steps, ...list, ...(table?.rows.flat() ?? [])].join(' ');

const errorEntries = ({ errors, words }: DocsTexts): Found[] =>
  Object.entries(errors).map(([code, text]) => ({
    path: `/docs/errors/${code}`,
    title: code,
    page: words.errors,
    text: plain([text.means, text.why, text.do].join(' ')),
  }));

function operationEntries({ paths, webhooks }: Pick<OpenApiDocument, 'paths' | 'webhooks'>): Found[] {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
  const events = Object.entries(webhooks).map(([name, { post }]) => ({ name, operation: post }));
  return [...operations, ...events].map(({ name, operation }) => ({
    path: `/docs/reference#${operation.operationId}`,
    title: name,
    page: DOCS_WORDS.reference,
    text: plain(`${operation.summary} ${operation.description}`),
  }));
}

/** A text split so that every second part is a match of the query, from the word's start. */
export function splitAtMatches(text: string, query: string): readonly string[] {
  const words = query.split(/\s+/).filter(Boolean);
  if (words.length === 0) return [text];
  const escaped = words.map((word) =>
    word.replaceAll(/[^\p{L}\p{N}]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`),
  );
  // Chinese has no spaces before its words.
  return text.split(new RegExp(`((?<![a-zа-яё])(?:${escaped.join('|')}))`, 'giu'));
}

/** A text without the marks of code, links and names of buttons. */
export const plain = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '');

/** About `length` characters around the first match of the query in a text, cut between words. */
export function excerpt(text: string, query: string, length = 180): string {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const first = places.length > 0 ? Math.min(...places) : 0;
  const isSpaced = !/\p{Script=Han}/u.test(text);
  const from = Math.floor(first - length / 3);
  const start = first < length / 2 ? 0 : isSpaced ? text.indexOf(' ', from) + 1 : from;
  const last = start + length;
  const end = last >= text.length ? text.length : isSpaced ? text.lastIndexOf(' ', last) : last;
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
