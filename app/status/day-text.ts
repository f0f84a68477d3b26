// The events of a day in words, and the days as a list in which consecutive similar days form one entry.

import { formatDays, formatDuration } from '@/lib/i18n/days';
import type { Words } from '@/lib/i18n/translate';
import type { Day } from '@/lib/installation/status/history';

/** The duration of each problem, or that there was none; the part without data is named too. */
export function sentenceOf({ locale, t }: Pick<Words, 'locale' | 't'>, { good, impaired, down, unknown }: Day): string {
  if (good + impaired + down === 0) return t('statusNoData');
  const parts = [
    { text: t('networkStateDown'), seconds: down },
    { text: t('networkStateDelayed'), seconds: impaired },
    { text: t('statusNoData'), seconds: unknown },
  ].filter(({ seconds }) => seconds > 0);
  const bad = parts.map(({ text, seconds }) => `${text} ${formatDuration(locale, seconds)}`);
  return [...(down + impaired === 0 ? [t('networkStateOk')] : []), ...bad].join(' · ');
}

/** From the newest to the oldest. */
export function entriesOf(
  words: Words,
  days: readonly Day[],
): readonly { readonly days: string; readonly text: string }[] {
  const entries: { first: string; last: string; text: string }[] = [];
  for (const day of days.toReversed()) {
    const text = sentenceOf(words, day);
    const newest = entries.at(-1);
    if (newest?.text === text) newest.first = day.date;
    else entries.push({ first: day.date, last: day.date, text });
  }
  return entries.map(({ first, last, text }) => ({ days: formatDays(words.locale, first, last), text }));
}
