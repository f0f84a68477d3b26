// The texts of a dashboard page on the server, from messages/dashboard, with amounts and times in its language. Client
// components get the same from useWords() (components/ui/words.tsx).

import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { createTranslator } from 'next-intl';
import type catalogue from '@/messages/dashboard/en.json';
import {
  dashboardFormat,
  DASHBOARD_LOCALES,
  isDashboardLocale,
  type DashboardFormat,
  type DashboardLocale,
} from './dashboard';
import { LOCALE_FACTS, LOCALE_HEADER } from './locales';

export type DashboardMessages = typeof catalogue;
export type DashboardKey = keyof DashboardMessages;

/** The language tools of a server component: `t(key, values)`, `t.rich`, `format`, `locale`. */
export async function getDashboardWords() {
  const locale = await dashboardLocale();
  const messages = await dashboardMessages(locale);
  return { locale, t: translatorOf(locale, messages), format: FORMATS[locale] };
}

export type DashboardWords = Awaited<ReturnType<typeof getDashboardWords>>;

/** The `generateMetadata` of a page: its title in the language of the request. */
export const titled = (key: DashboardKey) => async (): Promise<Metadata> => ({
  title: (await getDashboardWords()).t(key),
});

/** The language of this request. */
export async function dashboardLocale(): Promise<DashboardLocale> {
  const chosen = (await headers()).get(LOCALE_HEADER);
  return isDashboardLocale(chosen) ? chosen : 'en';
}

/** All texts of a language. */
async function dashboardMessages(locale: DashboardLocale): Promise<DashboardMessages> {
  const { default: messages } = (await import(`../../messages/dashboard/${locale}.json`)) as {
    default: DashboardMessages;
  };
  return messages;
}

/** The messages that pages need. Only the server writes mails. */
export async function browserMessages(locale: DashboardLocale): Promise<DashboardMessages> {
  const texts = Object.entries(await dashboardMessages(locale)).filter(([key]) => !key.startsWith('mail'));
  return Object.fromEntries(texts) as DashboardMessages;
}

/** A message that cannot be formatted throws an error instead of showing a half-filled sentence. */
const translatorOf = (locale: DashboardLocale, messages: DashboardMessages) =>
  createTranslator({
    locale: LOCALE_FACTS[locale].format,
    messages,
    timeZone: 'UTC',
    onError: (error) => {
      throw error;
    },
  });

const FORMATS = Object.fromEntries(DASHBOARD_LOCALES.map((locale) => [locale, dashboardFormat(locale)])) as Readonly<
  Record<DashboardLocale, DashboardFormat>
>;
