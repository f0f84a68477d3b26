// What the frame of a page says of it: its language, its direction and, on dashboard pages, the colours that were chosen.

import { headers } from 'next/headers';
import { isDashboardLocale } from './dashboard';
import { DEFAULT_LOCALE, isLocale, LOCALE_FACTS, LOCALE_HEADER } from './locales';
import { THEME_HEADER } from './theme';

type Frame = {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly theme: 'light' | 'dark' | undefined;
};

export async function pageFrame(): Promise<Frame> {
  const given = await headers();
  const chosen = given.get(LOCALE_HEADER);
  const theme = given.get(THEME_HEADER);
  return {
    language: isLocale(chosen) || isDashboardLocale(chosen) ? chosen : DEFAULT_LOCALE,
    direction: isLocale(chosen) ? LOCALE_FACTS[chosen].direction : 'ltr',
    theme: theme === 'light' || theme === 'dark' ? theme : undefined,
  };
}
