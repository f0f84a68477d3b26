// The dashboard's languages and their formats of amounts, times and numbers. Pure and small, because the browser uses it too.
// The catalogues are messages/dashboard/*.json; the payment page has more languages (locales.ts).

import { fromUnixSeconds } from '@/lib/platform/clock';
import { chooseFrom, LOCALE_FACTS, type LocaleWishes } from './locales';

/** In the order of the language switch. */
export const DASHBOARD_LOCALES = ['en', 'es', 'zh', 'zh-Hant', 'ru', 'pt', 'tr', 'vi', 'id', 'ar'] as const;
export type DashboardLocale = (typeof DASHBOARD_LOCALES)[number];

export const isDashboardLocale = (text: string | null | undefined): text is DashboardLocale =>
  (DASHBOARD_LOCALES as readonly (string | null | undefined)[]).includes(text);

/** `?lang`, then the cookie, then Accept-Language, then English. */
export const chooseDashboardLocale = (wishes: LocaleWishes): DashboardLocale =>
  chooseFrom(DASHBOARD_LOCALES, wishes) ?? 'en';

/** The pages that use the dashboard's languages. */
const DASHBOARD_PAGES =
  /^\/(dashboard|operator|login|signup|reset|confirm|invite|setup|two-factor|payout-addresses)(\/|$)/;

export const isDashboardPath = (path: string): boolean => DASHBOARD_PAGES.test(path);

/** Formatters of a language, created once: an Intl object costs more than one formatting. */
export function dashboardFormat(locale: DashboardLocale) {
  const { format, direction } = LOCALE_FACTS[locale];
  const day = new Intl.DateTimeFormat(format, { dateStyle: 'medium', timeZone: 'UTC' });
  const shortDay = new Intl.DateTimeFormat(format, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const month = new Intl.DateTimeFormat(format, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  const minute = new Intl.DateTimeFormat(format, {
    dateStyle: 'medium',
    timeStyle: 'short',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  const second = new Intl.DateTimeFormat(format, {
    dateStyle: 'medium',
    timeStyle: 'long',
    timeZone: 'UTC',
    hourCycle: 'h23',
  });
  const relative = new Intl.RelativeTimeFormat(format, { numeric: 'auto' });
  const number = new Intl.NumberFormat(format, { maximumFractionDigits: 2 });
  const percent = new Intl.NumberFormat(format, { style: 'percent', maximumFractionDigits: 1 });
  const exactPercent = new Intl.NumberFormat(format, { style: 'percent', maximumFractionDigits: 2 });
  const amount = (text: string): string => {
    const digits = text.split('.')[1]?.length ?? 0;
    const rules = { minimumFractionDigits: digits, maximumFractionDigits: Math.max(digits, 0) };
    return new Intl.NumberFormat(format, rules).format(text as `${number}`);
  };
  return {
    /** Decimal text with its own digits, grouped. Exact: Intl reads the text, not a float. */
    amount,
    /**
     * An amount with its currency. Isolated in right-to-left text; otherwise the number would join what follows the currency.
     */
    money: (text: string, currency: string): string =>
      direction === 'rtl' ? `\u2066${amount(text)} ${currency}\u2069` : `${amount(text)} ${currency}`,
    /** A disk size: 82 GB. Sizes below a megabyte are not detailed. */
    bytes: (size: number): string => bytesText(format, size),
    number: (value: number | bigint): string => number.format(value),
    /** 0.982 → 98.2 %. */
    percent: (share: number): string => percent.format(share),
    /** Hundredths of a percent, without rounding. */
    basisPoints: (points: number): string => exactPercent.format(points / 10_000),
    /** Unix seconds, in UTC without the label. */
    day: (at: number): string => day.format(fromUnixSeconds(at)),
    /** The same without the year, for charts. */
    shortDay: (at: number): string => shortDay.format(fromUnixSeconds(at)),
    /** The month of Unix seconds, with its year. */
    month: (at: number): string => month.format(fromUnixSeconds(at)),
    /** Unix seconds, in UTC with the label. */
    minute: (at: number): string => `${minute.format(fromUnixSeconds(at))} UTC`,
    second: (at: number): string => second.format(fromUnixSeconds(at)),
    /** Time before or after `now`; both Unix seconds. */
    relative: (at: number, now: number): string => relativeText(relative, at - now),
    /** The longest duration: 300 → 5 minutes. */
    wait: (seconds: number): string => waitText(format, seconds),
    list: (names: readonly string[]): string => new Intl.ListFormat(format, { type: 'conjunction' }).format(names),
  };
}

export type DashboardFormat = ReturnType<typeof dashboardFormat>;

const MEGABYTE = 1_000_000;
const GIGABYTE = 1000 * MEGABYTE;

function bytesText(format: string, size: number): string {
  const [unit, scale] = size < GIGABYTE ? ['megabyte', MEGABYTE] : ['gigabyte', GIGABYTE];
  const text = new Intl.NumberFormat(format, { style: 'unit', unit, maximumFractionDigits: 0 });
  return size > 0 && size < MEGABYTE ? `< ${text.format(1)}` : text.format(size / scale);
}

/** The unit for a number of seconds, and its size. Precise enough below two of the next unit. */
const WAITS: readonly (readonly [below: number, size: number, unit: string])[] = [
  [60, 1, 'second'],
  [7200, 60, 'minute'],
  [172_800, 3600, 'hour'],
  [Number.POSITIVE_INFINITY, 86_400, 'day'],
];

function waitText(locale: string, seconds: number): string {
  const [, size = 1, unit = 'second'] = WAITS.find(([below]) => seconds < below) ?? [];
  // Rounded up, because a client that returns too early is refused again.
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(Math.ceil(seconds / size));
}

const STEPS: readonly (readonly [seconds: number, unit: Intl.RelativeTimeFormatUnit])[] = [
  [365 * 86_400, 'year'],
  [30 * 86_400, 'month'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
];

function relativeText(rules: Intl.RelativeTimeFormat, seconds: number): string {
  for (const [size, unit] of STEPS) {
    if (Math.abs(seconds) >= size) return rules.format(Math.trunc(seconds / size), unit);
  }
  // An exact number of seconds would be outdated before it is read.
  return rules.format(0, 'second');
}
