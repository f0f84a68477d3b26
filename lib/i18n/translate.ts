// The texts of a page in the visitor's language, from messages/, with amounts and times in its format.

import { getTranslations } from 'next-intl/server';
import type { Locale as _NextIntl } from 'next-intl';
import type catalogue from '@/messages/en.json';
import { fromUnixSeconds } from '@/lib/platform/clock';
import { formatPercent } from './days';
import { LOCALE_FACTS, type Locale } from './locales';
import { networkNames } from './network-names';
import { requestLocale } from './request';

export type MessageKey = keyof typeof catalogue;

// Makes an unknown key a type error. The module can be extended here because of the type import above.
declare module 'next-intl' {
  interface AppConfig {
    Messages: typeof catalogue;
  }
}

/** The language tools of a server component. `t` is next-intl's. */
export async function getWords() {
  const [locale, t] = await Promise.all([requestLocale(), getTranslations()]);
  return wordsOf(locale, t);
}

/** The same for a language and its translator. */
export const wordsOf = (locale: Locale, t: Awaited<ReturnType<typeof getTranslations>>) => ({
  locale,
  t,
  amount: (text: string) => formatAmount(locale, text),
  rate: (text: string) => formatRate(locale, text),
  percent: (hundredths: number) => formatPercent(locale, hundredths),
  time: (at: number) => formatTime(locale, at),
  hour: (at: number) => formatHour(locale, at),
  span: (wait: { readonly unit: 'seconds' | 'minutes'; readonly count: number }) => formatSpan(locale, wait),
  network: (network: string) =>
    networkNames((key) => (t.has(key as MessageKey) ? t(key as 'networkEthereum') : null), network),
  list: (names: readonly string[]) => formatList(locale, names),
});

export type Words = Awaited<ReturnType<typeof getWords>>;

/** Decimal text with its own digits, grouped by the language's rules. Exact: Intl reads the text, not a float. */
function formatAmount(locale: Locale, text: string): string {
  const rules = new Intl.NumberFormat(LOCALE_FACTS[locale].format, {
    minimumFractionDigits: text.split('.')[1]?.length ?? 0,
    maximumFractionDigits: 18,
  });
  return rules.format(text as `${number}`);
}

/** An exchange rate with six significant digits: enough to compare with the market. Receipts show all of them. */
function formatRate(locale: Locale, text: string): string {
  const rules = new Intl.NumberFormat(LOCALE_FACTS[locale].format, { maximumSignificantDigits: 6 });
  return rules.format(text as `${number}`);
}

/** A duration with a short unit: `5 s`. */
const formatSpan = (
  locale: Locale,
  { unit, count }: { readonly unit: 'seconds' | 'minutes'; readonly count: number },
): string =>
  new Intl.NumberFormat(LOCALE_FACTS[locale].format, {
    style: 'unit',
    unit: unit === 'seconds' ? 'second' : 'minute',
    unitDisplay: 'short',
  }).format(count);

/** Names joined by the language's rules. */
const formatList = (locale: Locale, names: readonly string[]): string =>
  new Intl.ListFormat(LOCALE_FACTS[locale].format, { type: 'conjunction' }).format(names);

/** A Unix time in UTC with the label: the server does not know the reader's time zone. */
function formatTime(locale: Locale, unix: number): string {
  return new Intl.DateTimeFormat(LOCALE_FACTS[locale].format, {
    dateStyle: 'medium',
    timeStyle: 'long',
    timeZone: 'UTC',
    hourCycle: 'h23',
  }).format(fromUnixSeconds(unix));
}

/** The hour and minute of a time within the next day, in UTC with the label. */
function formatHour(locale: Locale, unix: number): string {
  return new Intl.DateTimeFormat(LOCALE_FACTS[locale].format, {
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  }).format(fromUnixSeconds(unix));
}
