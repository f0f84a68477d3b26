// The documentation's texts, typed. They are English only and live in messages/docs.

import type { ErrorCode } from '@/lib/errors';
import texts from '@/messages/docs/en.json';
import type { SampleName } from './samples';

export type ErrorText = { readonly means: string; readonly why: string; readonly do: string };
export type Section = {
  readonly title: string;
  readonly text: readonly string[];
  readonly list?: readonly string[];
  readonly code?: SampleName;
};
export type Guide = {
  readonly slug: string;
  readonly title: string;
  readonly summary: string;
  readonly sections: readonly Section[];
};

export const DOCS_WORDS = texts.ui;
export const GUIDES = texts.guides as readonly Guide[];
/** Complete: a test holds its codes equal to the table's. */
export const ERROR_TEXTS = texts.errors as Readonly<Record<ErrorCode, ErrorText>>;
