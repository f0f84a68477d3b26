// The attributes of a page's frame: its language, its direction and, in the dashboard and the documentation, the chosen
// colours.

import { headers } from 'next/headers';
import { DEFAULT_LOCALE, isLocale, LOCALE_FACTS, LOCALE_HEADER, type Locale } from './locales';
import { THEME_HEADER } from './theme';

type Frame = {
  readonly language: Locale;
  readonly direction: 'ltr' | 'rtl';
  readonly theme: 'light' | 'dark' | undefined;
};

export async function pageFrame(): Promise<Frame> {
  const given = await headers();
  const chosen = given.get(LOCALE_HEADER);
  const theme = given.get(THEME_HEADER);
  const language = isLocale(chosen) ? chosen : DEFAULT_LOCALE;
  return {
    language,
    direction: LOCALE_FACTS[language].direction,
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  };
}
