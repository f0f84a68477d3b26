// The documentation's texts, typed, in each language that the guides are written in (messages/docs). The API reference
// is English in every language, because its names are.

import type { ErrorCode } from '@/lib/platform/errors/errors';
import type { DocsLocale } from '@/lib/i18n/docs';
import en from '@/messages/docs/en.json';
import es from '@/messages/docs/es.json';
import ru from '@/messages/docs/ru.json';
import zh from '@/messages/docs/zh.json';
import zhHant from '@/messages/docs/zh-Hant.json';
import type { NodeSnippetName, SdkSnippetName, SnippetName } from './languages';
import { withProductNames } from './product-names';

type ErrorText = { readonly means: string; readonly why: string; readonly do: string };
/** Texts may hold `code` and [links](/to/pages). */
export type Section = {
  /** The link target, made of the English title so that a link works in every language. */
  readonly id: string;
  readonly title: string;
  readonly text: readonly string[];
  readonly list?: readonly string[];
  readonly steps?: readonly string[];
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** A program, or a part of it, in every language. `node`: the SDK program that replaces the one in Node. */
  readonly snippet?: {
    readonly name: SnippetName | NodeSnippetName;
    readonly part?: string;
    readonly node?: SdkSnippetName;
  };
  /** Text for a terminal or a body. */
  readonly code?: string;
  readonly widget?: 'example' | 'calculator';
};
export type Guide = {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly sections: readonly Section[];
  /** An API path that the guide requires: without it, the guide is hidden, because this installation cannot do it. */
  readonly needs?: string;
};
export type DocsTexts = {
  readonly words: typeof en.ui;
  readonly guides: readonly Guide[];
  /** Complete: a test compares its codes with the table's. */
  readonly errors: Readonly<Record<ErrorCode, ErrorText>>;
};

/** All match the English one in content and order: a test compares them. */
export const DOCS_CATALOGUES: Readonly<Record<DocsLocale, typeof en>> = {
  en,
  es,
  zh,
  'zh-Hant': zhHant,
  ru,
};

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const read: Partial<Record<DocsLocale, DocsTexts>> = {};

/** Filled with the names of pages and buttons in that language. */
export const docsIn = (locale: DocsLocale): DocsTexts => (read[locale] ??= readDocs(locale));

function readDocs(locale: DocsLocale): DocsTexts {
  const { ui, guides, errors } = JSON.parse(JSON.stringify(DOCS_CATALOGUES[locale]), (_, value: unknown) =>
    typeof value === 'string' ? withProductNames(value, locale) : value,
  ) as typeof en;
  const withIds = guides.map((guide, at) => ({
    ...guide,
    sections: guide.sections.map((section, n) => ({
      ...section,
      id: anchorOf(en.guides[at]?.sections[n]?.title ?? ''),
    })),
  }));
  return { words: ui, guides: withIds as readonly Guide[], errors };
}

export const { words: DOCS_WORDS, guides: ALL_GUIDES, errors: ERROR_TEXTS } = docsIn('en');
