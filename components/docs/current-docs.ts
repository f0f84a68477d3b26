// The documentation's texts in the reader's language, as `proxy.ts` chose it for the request.

import { headers } from 'next/headers';
import { cache } from 'react';
import { isDocsLocale, type DocsLocale } from '@/lib/i18n/docs';
import { LOCALE_HEADER } from '@/lib/i18n/locales';
import { docsIn, type DocsTexts } from './docs-text';

export const currentDocs = cache(async (): Promise<DocsTexts & { readonly locale: DocsLocale }> => {
  const chosen = (await headers()).get(LOCALE_HEADER);
  const locale = isDocsLocale(chosen) ? chosen : 'en';
  return { ...docsIn(locale), locale };
});
