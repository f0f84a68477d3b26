// Every language says the same things: same keys, same placeholders, plural forms as its grammar asks for.

import { readFileSync } from 'node:fs';
import { createTranslator } from 'next-intl';
import { describe, expect, test } from 'vitest';
import { chooseLocale, LOCALE_FACTS, LOCALES } from './locales';

const read = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`../../messages/${path}`, import.meta.url), 'utf8')) as Record<string, string>;
const english = read('en.json');

/** Names of arguments and tags, in order of the alphabet. */
const placeholders = (text: string) => ({
  values: [...new Set([...text.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name = '']) => name))].toSorted(),
  tags: [...text.matchAll(/<(\w+)>/g)].map(([, name = '']) => name).toSorted(),
});

const VALUES = {
  amount: '12.34',
  received: '5.00',
  due: '12.34',
  missing: '7.34',
  currency: 'USDT',
  network: 'TRON',
  standard: 'TRC20',
  store: 'Shop',
  host: 'shop.example',
  time: 'now',
  start: '0x12',
  wallet: 'MetaMask',
  coin: 'BNB',
  balance: '1.00',
  from: '0.001',
  to: '0.002',
  end: '89ab',
};

describe.each(LOCALES)('the catalogue %s', (locale) => {
  const catalogue = read(`${locale}.json`);

  test('has exactly the keys of the English one, none empty', () => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(english));
    expect(Object.values(catalogue).filter((text) => text.trim() === '')).toEqual([]);
  });

  test('has the placeholders of the English texts', () => {
    const all = (texts: Record<string, string>) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placeholders(text)]));
    expect(all(catalogue)).toEqual(all(english));
  });

  test('can be drawn in every text and for every number', () => {
    const t = createTranslator({
      locale: LOCALE_FACTS[locale].format,
      messages: catalogue,
      onError: (error) => {
        throw error;
      },
    });
    const tags = { store: () => 'Shop' };
    for (const key of Object.keys(catalogue)) {
      for (const number of [0, 1, 2, 3, 11, 100]) {
        const values = { ...VALUES, minutes: number, required: number, count: number };
        const text =
          placeholders(catalogue[key] ?? '').tags.length > 0 ? t.markup(key, { ...values, ...tags }) : t(key, values);
        expect(`${key}: ${text}`).not.toMatch(/[{}]|undefined/);
      }
    }
  });

  test('names every plural form that the language has', () => {
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories.toSorted();
    for (const [key, text] of Object.entries(catalogue)) {
      if (!text.includes(', plural,')) continue;
      const named = [...text.matchAll(/\b(zero|one|two|few|many|other) \{/g)].map(([, form = '']) => form).toSorted();
      expect({ key, named }).toEqual({ key, named: forms });
    }
  });

  test('has the words of the page for failures', () => {
    expect(Object.keys(read(`error/${locale}.json`))).toEqual(Object.keys(read('error/en.json')));
  });
});

describe('the choice of language', () => {
  const choose = (asked: string | null, remembered: string | null, accepted: string | null) =>
    chooseLocale({ asked, remembered, accepted });

  test('is what was asked for, then what is remembered, then what the browser accepts most', () => {
    expect(choose('ar', 'zh', 'en')).toBe('ar');
    expect(choose(null, 'zh', 'en')).toBe('zh');
    expect(choose(null, null, 'fr-FR, en;q=0.5, zh-CN;q=0.8')).toBe('zh');
    expect(choose(null, null, 'ar-EG,ar;q=0.9')).toBe('ar');
  });

  test.each(['../../etc', 'EN', '__proto__', 'constructor', '', '*', 'q=1', 'zh;q=0', 'a'.repeat(10_000)])(
    'falls back to English for %j',
    (text) => {
      expect(choose(text, text, text)).toBe('en');
    },
  );
});
