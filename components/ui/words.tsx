'use client';
// The dashboard's words for components in the browser: the texts of the page's language, sent once with the frame. The
// server's time is included, so that the first render matches the server's.

import { createTranslator } from 'next-intl';
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react';
import { dashboardFormat, type DashboardFormat, type DashboardLocale } from '@/lib/i18n/dashboard';
import { LOCALE_FACTS } from '@/lib/i18n/locales';
import type english from '@/messages/dashboard/en.json';

export type Messages = typeof english;
export type MessageKey = keyof Messages;

const translator = (locale: DashboardLocale, messages: Messages) =>
  createTranslator({
    locale: LOCALE_FACTS[locale].format,
    messages,
    timeZone: 'UTC',
    onError: (error) => {
      throw error;
    },
  });

type Words = {
  readonly locale: DashboardLocale;
  readonly t: ReturnType<typeof translator>;
  readonly format: DashboardFormat;
};

const WordsContext = createContext<(Words & { readonly now: number }) | null>(null);

/** The interval at which relative times are updated. */
const REFRESH_MILLISECONDS = 30_000;

type Props = {
  readonly locale: DashboardLocale;
  readonly messages: Messages;
  /** Unix seconds at the server. */
  readonly now: number;
  readonly children: ReactNode;
};

export function WordsProvider({ locale, messages, now: atServer, children }: Props) {
  const [now, setNow] = useState(atServer);
  useEffect(() => {
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1000)), REFRESH_MILLISECONDS);
    return () => clearInterval(timer);
  }, []);
  const words = useMemo(
    () => ({ locale, t: translator(locale, messages), format: dashboardFormat(locale) }),
    [locale, messages],
  );
  const value = useMemo(() => ({ ...words, now }), [words, now]);
  return <WordsContext value={value}>{children}</WordsContext>;
}

/** The words of the page; `now` in Unix seconds. */
export function useWords() {
  const words = useContext(WordsContext);
  if (!words) throw new Error('useWords() is for components under a WordsProvider.');
  return words;
}
