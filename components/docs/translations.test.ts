// Every language of the guides matches the English one: the same pages, sections, lists, samples, links and names.

import { describe, expect, test } from 'vitest';
import { openApiDocument } from '@/lib/api/openapi/document';
import { chooseDocsLocale, DOCS_LOCALES } from '@/lib/i18n/docs';
import { DOCS_CATALOGUES, docsIn, type DocsTexts } from './docs-text';
import { openSearch } from './search';

/** The parts that must be the same in every language: code, link targets, and placeholders. */
const marksOf = (text: string): string[] =>
  [...text.matchAll(/`[^`]+`|\]\([^)]+\)|\{\w+(?:\.\w+)?\}/g)].map(([mark]) => mark).toSorted();

/** In a guide they are the same in every language. */
const SAME = ['slug', 'code', 'name', 'part', 'widget', 'needs'];

/** The shape of a value: each text is replaced by its marks; under the names in `same` the text itself stays. */
function shapeOf(value: unknown, same: readonly string[] = [], key = ''): unknown {
  if (typeof value === 'string') return same.includes(key) ? value : marksOf(value);
  if (Array.isArray(value)) return value.map((one) => shapeOf(one, same));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one, same, name)]));
}

const wholeShape = ({ guides, ...rest }: (typeof DOCS_CATALOGUES)['en']) => [shapeOf(guides, SAME), shapeOf(rest)];

describe.each(DOCS_LOCALES.filter((locale) => locale !== 'en'))('the documentation in %s', (locale) => {
  test('has every guide, section, sample, link and name of the English one', () => {
    expect(wholeShape(DOCS_CATALOGUES[locale])).toEqual(wholeShape(DOCS_CATALOGUES.en));
  });

  test('is translated: no paragraph of a guide is the English one', () => {
    const paragraphs = ({ guides }: DocsTexts) =>
      guides.flatMap(({ sections }) => sections.flatMap(({ text }) => text));
    const english = new Set(paragraphs(docsIn('en')));
    const same = paragraphs(docsIn(locale)).filter((text) => english.has(text) && /[a-z]{4}.* [a-z]{4}/.test(text));
    expect(same).toEqual([]);
  });

  test('has the same section anchors', () => {
    const ids = ({ guides }: DocsTexts) => guides.map(({ slug, sections }) => [slug, sections.map(({ id }) => id)]);
    expect(ids(docsIn(locale))).toEqual(ids(docsIn('en')));
  });

  test('is searched in its own language', () => {
    const docs = docsIn(locale);
    const search = openSearch(openApiDocument('https://pay.example'), docs);
    const [guide] = docs.guides;
    expect(search(guide?.sections[0]?.title ?? '').map(({ path }) => path)).toContain(
      `/docs/${guide?.slug}#${guide?.sections[0]?.id}`,
    );
  });
});

test('the language is the requested one, else the remembered one, else the browser’s, else English', () => {
  const wishes = { requested: null, remembered: null, accepted: null };
  expect(chooseDocsLocale({ ...wishes, requested: 'ru', remembered: 'es' })).toBe('ru');
  expect(chooseDocsLocale({ ...wishes, remembered: 'es', accepted: 'ru' })).toBe('es');
  expect(chooseDocsLocale({ ...wishes, accepted: 'ru-RU,ru;q=0.9' })).toBe('ru');
  expect(chooseDocsLocale({ ...wishes, accepted: 'de' })).toBe('en');
});
