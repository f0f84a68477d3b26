// next-intl's input for a request: the language that proxy.ts chose and its catalogue. A message that cannot be formatted
// throws, so that no half-filled sentence appears on a page that requests money.

import { headers } from 'next/headers';
import { getRequestConfig } from 'next-intl/server';
import { DEFAULT_LOCALE, isLocale, LOCALE_FACTS, LOCALE_HEADER, type Locale } from './locales';

/** The language of this request. */
export async function requestLocale(): Promise<Locale> {
  const chosen = (await headers()).get(LOCALE_HEADER);
  return isLocale(chosen) ? chosen : DEFAULT_LOCALE;
}

export default getRequestConfig(async () => {
  const locale = await requestLocale();
  const { default: messages } = (await import(`../../messages/${locale}.json`)) as { default: Record<string, string> };
  return {
    locale: LOCALE_FACTS[locale].format,
    messages,
    timeZone: 'UTC',
    onError: (error) => {
      throw error;
    },
  };
});
