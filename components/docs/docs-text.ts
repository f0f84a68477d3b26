// The documentation's texts, typed. They are English only and live in messages/docs.

import type { ErrorCode } from '@/lib/errors';
import source from '@/messages/docs/en.json';
import type { SnippetName } from './languages';
import { withProductNames } from './product-names';

export type ErrorText = { readonly means: string; readonly why: string; readonly do: string };
/** Texts may hold `code` and [links](/to/pages). */
export type Section = {
  readonly title: string;
  readonly text: readonly string[];
  readonly list?: readonly string[];
  readonly steps?: readonly string[];
  readonly table?: { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] };
  /** A program in every language, or one part of it. */
  readonly snippet?: { readonly name: SnippetName; readonly part?: string };
  /** Text for a terminal or a body. */
  readonly code?: string;
  readonly widget?: 'example' | 'calculator';
};
export type Guide = {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly sections: readonly Section[];
  /** A path of the API without which the guide is not shown: it tells of nothing that this installation cannot do. */
  readonly needs?: string;
};

const texts = JSON.parse(JSON.stringify(source), (_, value: unknown) =>
  typeof value === 'string' ? withProductNames(value) : value,
) as typeof source;

export const DOCS_WORDS = texts.ui;
export const ALL_GUIDES = texts.guides as readonly Guide[];
/** Complete: a test holds its codes equal to the table's. */
export const ERROR_TEXTS = texts.errors as Readonly<Record<ErrorCode, ErrorText>>;

/** The id of a section, for links to it. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
