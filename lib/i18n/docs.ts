// The languages of the documentation's guides.

import { chooseFrom, type LocaleWishes } from './locales';

/** In the order of the language switch. */
export const DOCS_LOCALES = ['en', 'es', 'zh', 'zh-Hant', 'ru'] as const;
export type DocsLocale = (typeof DOCS_LOCALES)[number];

export const isDocsLocale = (text: string | null | undefined): text is DocsLocale =>
  (DOCS_LOCALES as readonly (string | null | undefined)[]).includes(text);

/** `?lang`, then the cookie, then Accept-Language, then English. */
export const chooseDocsLocale = (wishes: LocaleWishes): DocsLocale => chooseFrom(DOCS_LOCALES, wishes) ?? 'en';

export const isDocsPath = (path: string): boolean => path === '/docs' || path.startsWith('/docs/');
