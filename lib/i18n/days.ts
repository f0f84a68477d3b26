// Days and durations of the status page, formatted by the language's rules alone. None of them needs a message.

import { LOCALE_FACTS, type Locale } from './locales';

const MINUTE = 60;
const HOUR = 3600;

const dayRules = (locale: Locale) =>
  new Intl.DateTimeFormat(LOCALE_FACTS[locale].format, { dateStyle: 'medium', timeZone: 'UTC' });

/** A UTC day given as 2026-11-24. */
export const formatDay = (locale: Locale, date: string): string => dayRules(locale).format(new Date(date));

/** Days from the first to the last, both included. */
export const formatDays = (locale: Locale, first: string, last: string): string =>
  dayRules(locale).formatRange(new Date(first), new Date(last));

/** "today", or a number of days ago. */
export const formatSince = (locale: Locale, days: number): string =>
  new Intl.RelativeTimeFormat(LOCALE_FACTS[locale].format, { numeric: 'auto' }).format(-days, 'day');

/** Seconds as hours and minutes; less than a minute as seconds. */
export function formatDuration(locale: Locale, seconds: number): string {
  if (seconds < MINUTE) return unit(locale, 'second', seconds);
  const hours = Math.floor(seconds / HOUR);
  const minutes = Math.floor((seconds % HOUR) / MINUTE);
  return [
    ...(hours > 0 ? [unit(locale, 'hour', hours)] : []),
    ...(minutes > 0 ? [unit(locale, 'minute', minutes)] : []),
  ].join(' ');
}

/** Hundredths of a percent. */
export const formatPercent = (locale: Locale, hundredths: number): string =>
  new Intl.NumberFormat(LOCALE_FACTS[locale].format, { style: 'percent', maximumFractionDigits: 2 }).format(
    hundredths / 10_000,
  );

const unit = (locale: Locale, name: 'hour' | 'minute' | 'second', value: number): string =>
  new Intl.NumberFormat(LOCALE_FACTS[locale].format, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value);
