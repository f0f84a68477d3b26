// The dashboard is complete in each of its languages, and formats amounts and times exactly.

import { readFileSync } from 'node:fs';
import { createTranslator } from 'next-intl';
import { describe, expect, test } from 'vitest';
import { chooseDashboardLocale, DASHBOARD_LOCALES, dashboardFormat, isDashboardPath } from './dashboard';
import type { EntryKind } from '@/lib/dashboard/lists/statement';
import { LOCALE_FACTS } from './locales';

const read = (locale: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../messages/dashboard/${locale}.json`, import.meta.url), 'utf8')) as Record<
    string,
    string
  >;
const english = read('en');

const placeholders = (text: string) => ({
  values: [...new Set([...text.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name = '']) => name))].toSorted(),
  tags: [...text.matchAll(/<(\w+)>/g)].map(([, name = '']) => name).toSorted(),
});
const COUNTS = [0, 1, 2, 5, 1_000_000];

describe.each(DASHBOARD_LOCALES)('the dashboard’s catalogue %s', (locale) => {
  const catalogue = read(locale);

  test('has exactly the keys of the English one, none empty', () => {
    expect(Object.keys(catalogue).toSorted()).toEqual(Object.keys(english).toSorted());
    expect(Object.entries(catalogue).filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  test('has the placeholders of the English texts', () => {
    for (const [key, text] of Object.entries(catalogue))
      expect({ key, ...placeholders(text) }).toEqual({ key, ...placeholders(english[key] ?? '') });
  });

  test('can be formatted in every text and for every number', () => {
    const t = createTranslator({
      locale: LOCALE_FACTS[locale].format,
      messages: catalogue,
      onError: (error) => {
        throw error;
      },
    });
    for (const [key, text] of Object.entries(catalogue)) {
      const { values, tags } = placeholders(text);
      // Plurals and dates need a number. Other values are texts, for which a number works as well.
      for (const count of COUNTS) {
        const given = Object.fromEntries(values.map((name) => [name, count]));
        const drawn = t.markup(key, {
          ...given,
          ...Object.fromEntries(tags.map((tag) => [tag, (part: string) => part])),
        });
        expect(`${key}: ${drawn}`).not.toMatch(/[{}]|undefined/);
      }
    }
  });
});

/** Variants that a review has rejected. The comment names the word to use instead. */
const REJECTED: Readonly<Record<string, RegExp>> = {
  es: /\b(?:usted|ustedes|[Pp]ídalo|[Pp]agos pagados)\b/ /* tú, Pagos completados */,
  zh: /密文|迟到|顾客|店铺/ /* 私密密钥, 逾期, 客户, 商店 */,
  'zh-Hant': /密文|賬|郵箱|顧客|店舖/ /* 私密金鑰, 帳, 電子郵件, 客戶, 商店 */,
};

test.each(Object.entries(REJECTED))('the dashboard’s texts in %s have no rejected variant', (locale, rejected) => {
  expect(Object.entries(read(locale)).filter(([, text]) => rejected.test(text))).toEqual([]);
});

describe('the language of the dashboard', () => {
  const choose = (requested: string | null, remembered: string | null, accepted: string | null) =>
    chooseDashboardLocale({ requested, remembered, accepted });

  test('is the requested language, then the remembered one, then the browser’s preference', () => {
    expect(choose('es', 'zh', 'en')).toBe('es');
    expect(choose(null, 'zh', 'es')).toBe('zh');
    expect(choose(null, null, 'fr-FR, en;q=0.5, es-MX;q=0.8')).toBe('es');
  });

  test('is never one that only the payment page has', () => {
    expect(choose('ja', 'ja', 'ja-JP, es;q=0.1')).toBe('es');
    expect(choose('ja', null, null)).toBe('en');
  });

  test.each(['/dashboard', '/dashboard/st_1/live/payments', '/operator/stores', '/login', '/confirm/email'])(
    'holds for %s',
    (path) => expect(isDashboardPath(path)).toBe(true),
  );
  test.each(['/', '/pay/cs_1', '/docs', '/dashboards', '/loginx', '/status'])('does not hold for %s', (path) =>
    expect(isDashboardPath(path)).toBe(false),
  );
});

describe('formatting by language', () => {
  test('money is isolated only in right-to-left text', () => {
    expect(dashboardFormat('en').money('1234.50', 'USDT')).toBe('1,234.50 USDT');
    expect(dashboardFormat('ar').money('1234.50', 'USDT')).toBe('\u20661,234.50 USDT\u2069');
  });

  test('a disk size uses the largest unit that fits', () => {
    const { bytes } = dashboardFormat('en');
    expect([0, 1200, 4_600_000, 82_241_000_000].map(bytes)).toEqual(['0 MB', '< 1 MB', '5 MB', '82 GB']);
  });

  test('an amount keeps every digit, however large', () => {
    expect(dashboardFormat('en').amount('12345678901234567890.123456789012345678')).toBe(
      '12,345,678,901,234,567,890.123456789012345678',
    );
    expect(dashboardFormat('es').amount('12345.60')).toBe('12.345,60');
    expect(dashboardFormat('zh').amount('0.10')).toBe('0.10');
  });

  test('elapsed time is shown in whole units, rounded towards now', () => {
    const { relative } = dashboardFormat('en');
    expect(relative(1000, 1030)).toBe('now');
    expect(relative(1000, 1060)).toBe('1 minute ago');
    expect(relative(1000, 1000 + 2 * 3600 - 1)).toBe('1 hour ago');
    expect(relative(1000 + 3 * 86_400, 1000)).toBe('in 3 days');
    expect(dashboardFormat('es').relative(0, 60)).toBe('hace 1 minuto');
  });

  test('a time is shown in UTC with the label', () => {
    expect(dashboardFormat('en').minute(1_795_257_600)).toBe('Nov 21, 2026, 10:40 UTC');
  });
});

/** The type makes it complete: a new kind of ledger entry does not compile until it is listed here. */
const ENTRY_KINDS: Readonly<Record<EntryKind, true>> = {
  transfer: true,
  counted: true,
  kept: true,
  refund_owed: true,
  refund_reserved: true,
  refund_converted: true,
  refund_released: true,
  refund_paid: true,
  refund_cost_reserved: true,
  refund_cost_settled: true,
  payout_reserved: true,
  payout_released: true,
  payout_paid: true,
  payout_fee: true,
  quarantined: true,
  quarantine_released: true,
};

test('every kind of ledger entry has a name in the statement, and no name is left over', () => {
  const named = Object.keys(english).filter((key) => key.startsWith('balKind_'));
  expect(named.toSorted()).toEqual(
    Object.keys(ENTRY_KINDS)
      .map((kind) => `balKind_${kind}`)
      .toSorted(),
  );
});
