// A temporary refusal says when it ends, in the reader's language: never a few minutes if it lasts most of a day.

import { createTranslator } from 'next-intl';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readFileSync } from 'node:fs';
import { DASHBOARD_LOCALES, dashboardFormat, type DashboardLocale } from '@/lib/i18n/dashboard';
import { LOCALE_FACTS } from '@/lib/i18n/locales';
import english from '@/messages/dashboard/en.json';
import { send } from './api';
import { faultSentence } from './fault-text';

const read = (locale: DashboardLocale) =>
  JSON.parse(readFileSync(`messages/dashboard/${locale}.json`, 'utf8')) as typeof english;
const CATALOGUES = Object.fromEntries(DASHBOARD_LOCALES.map((locale) => [locale, read(locale)])) as Record<
  DashboardLocale,
  typeof english
>;

afterEach(() => void vi.unstubAllGlobals());

const words = (locale: DashboardLocale) => ({
  t: createTranslator({
    locale: LOCALE_FACTS[locale].format,
    messages: CATALOGUES[locale],
  }),
  format: dashboardFormat(locale),
});

/** The text that a page shows for a server response. */
async function shownText(retryAfter: string | null, locale: DashboardLocale, code = 'RATE_LIMITED'): Promise<string> {
  const body = JSON.stringify({
    error: { type: 'rate_limit_error', code, message: 'Too many requests.', param: null },
  });
  const headers = retryAfter === null ? {} : { 'Retry-After': retryAfter };
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status: 429, headers })));
  const answer = await send('POST', '/stores/st_1/invitations', {});
  if (!('fault' in answer)) throw new Error('it was not refused');
  return faultSentence(words(locale), answer.fault);
}

describe('how long to wait', () => {
  test.each<[string, string, string, string]>([
    ['20', '20 seconds', '20 segundos', '20秒'],
    ['61', '2 minutes', '2 minutos', '2分钟'],
    ['300', '5 minutes', '5 minutos', '5分钟'],
    ['71000', '20 hours', '20 horas', '20小时'],
    ['86400', '24 hours', '24 horas', '24小时'],
  ])('%s seconds are shown in words, and never rounded down', async (seconds, en, es, zh) => {
    expect(await shownText(seconds, 'en')).toContain(`about ${en}`);
    expect(await shownText(seconds, 'es')).toContain(es);
    expect((await shownText(seconds, 'zh')).replaceAll(/\s/g, '')).toContain(zh);
  });

  test.each(DASHBOARD_LOCALES)('is a few minutes when the server states no time, in %s', async (locale) => {
    for (const header of [null, '', 'soon', '-5', '1.5', '0', 'Wed, 21 Oct 2026 07:28:00 GMT', '9'.repeat(12)])
      expect(await shownText(header, locale)).toBe(CATALOGUES[locale].fault_RATE_LIMITED);
  });

  test('is omitted for a refusal that does not end by itself', async () => {
    expect(await shownText('300', 'en', 'permission_denied')).toBe(english.fault_permission_denied);
  });
});
