// Every language has the same keys and placeholders, and the plural forms of its grammar.

import { readdirSync, readFileSync } from 'node:fs';
import { createTranslator } from 'next-intl';
import { describe, expect, test } from 'vitest';
import { chooseLocale, LOCALE_FACTS, LOCALES, localeOf } from './locales';

const MESSAGES = new URL('../../messages/', import.meta.url);
const read = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(path, MESSAGES), 'utf8')) as Record<string, string>;
const english = read('en.json');

/** An argument, but not the one-word text of a plural form: `one {jetzt}`. */
const ARGUMENT = /(?<!(?:=\d+|\b(?:zero|one|two|few|many|other)) )\{(\w+)(?=[,}])/g;

/** Names of arguments and tags in alphabetical order. */
const placeholders = (text: string) => ({
  values: [...new Set([...text.matchAll(ARGUMENT)].map(([, name = '']) => name))].toSorted(),
  tags: [...text.matchAll(/<(\w+)>/g)].map(([, name = '']) => name).toSorted(),
});

const VALUES = {
  amount: '12.34',
  other: '1234',
  received: '5.00',
  due: '12.34',
  missing: '7.34',
  extra: '1.00',
  currency: 'USDT',
  network: 'TRON',
  standard: 'TRC20',
  store: 'Shop',
  host: 'shop.example',
  time: 'now',
  date: 'Nov 24',
  start: '0x12',
  wallet: 'MetaMask',
  payer: '0x6Fac4D…AB9C0',
  coin: 'BNB',
  balance: '1.00',
  from: '0.001',
  to: '0.002',
  end: '89ab',
};

/** Together they select every plural form of whole numbers in all languages. */
const NUMBERS = [0, 1, 2, 3, 5, 11, 21, 100, 1_000_000];

/** Texts of buttons and of links that look like buttons. They have no space for a line break. */
const ON_BUTTONS = [
  'copy',
  'copied',
  'paste',
  'openWallet',
  'openInWallet',
  'returnStay',
  'payWithWallet',
  'payTestMoney',
  'findButton',
  'refundAddressCheck',
  'refundAddressSave',
  'refundAddressOther',
  'refundSign',
  'receiptPrint',
  'homeDocs',
  'homeShop',
];
const MAX_TIMES = 2.2;
/** English words are often shorter than their translations. This many columns fit at 320 pixels. */
const ROOM_COLUMNS = 18;

/** Display columns of a text: combining marks take none, East Asian letters take two. */
const columns = (text: string): number =>
  [...new Intl.Segmenter().segment(text)].reduce(
    (sum, { segment }) =>
      sum + (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(segment) ? 2 : 1),
    0,
  );

test('the languages are the files of messages/, and there are at least forty', () => {
  const files = (folder: string) =>
    readdirSync(new URL(folder, MESSAGES)).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []));
  expect(files('.').toSorted()).toEqual([...LOCALES].toSorted());
  expect(files('error').toSorted()).toEqual([...LOCALES].toSorted());
  expect(LOCALES.length).toBeGreaterThanOrEqual(40);
});

describe.each(LOCALES)('the catalogue %s', (locale) => {
  const catalogue = read(`${locale}.json`);

  test('has exactly the keys of the English one, none empty', () => {
    expect(Object.keys(catalogue).toSorted()).toEqual(Object.keys(english).toSorted());
    expect(Object.values(catalogue).filter((text) => text.trim() === '')).toEqual([]);
  });

  test('has the placeholders of the English texts', () => {
    const all = (texts: Record<string, string>) =>
      Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, placeholders(text)]));
    expect(all(catalogue)).toEqual(all(english));
  });

  test('can be formatted in every text and for every number', () => {
    const t = createTranslator({
      locale: LOCALE_FACTS[locale].format,
      messages: catalogue,
      onError: (error) => {
        throw error;
      },
    });
    const tags = { store: () => 'Shop' };
    for (const key of Object.keys(catalogue)) {
      const isCounted = (catalogue[key] ?? '').includes(', plural,');
      for (const number of isCounted ? NUMBERS : NUMBERS.slice(0, 1)) {
        const values = { ...VALUES, minutes: number, required: number, count: number };
        const text =
          placeholders(catalogue[key] ?? '').tags.length > 0 ? t.markup(key, { ...values, ...tags }) : t(key, values);
        expect(`${key}: ${text}`).not.toMatch(/[{}]|undefined/);
      }
    }
  });

  test('contains every plural form of the language', () => {
    const forms = new Intl.PluralRules(locale).resolvedOptions().pluralCategories.toSorted();
    for (const [key, text] of Object.entries(catalogue)) {
      if (!text.includes(', plural,')) continue;
      const named = [...text.matchAll(/\b(zero|one|two|few|many|other) \{/g)].map(([, form = '']) => form).toSorted();
      expect({ key, named }).toEqual({ key, named: forms });
    }
  });

  test('has no direction override, and closes each isolate', () => {
    const all = Object.values(catalogue);
    expect(all.filter((text) => /[\p{Cc}\u200b\u202a-\u202e\ufeff]/u.test(text))).toEqual([]);
    const count = (text: string, marks: RegExp) => [...text.matchAll(marks)].length;
    expect(all.filter((text) => count(text, /[\u2066-\u2068]/g) !== count(text, /\u2069/g))).toEqual([]);
  });

  test('has short texts on buttons', () => {
    const long = ON_BUTTONS.filter((key) => {
      const most = Math.max(ROOM_COLUMNS, columns(english[key] ?? '') * MAX_TIMES);
      return columns(catalogue[key] ?? '') > most;
    });
    expect(long.map((key) => catalogue[key])).toEqual([]);
  });

  test('has the texts of the page for failures', () => {
    const words = read(`error/${locale}.json`);
    expect(Object.keys(words)).toEqual(Object.keys(read('error/en.json')));
    expect(Object.values(words).filter((text) => text.trim() === '')).toEqual([]);
  });

  test('can be formatted by: numbers with Western digits, dates and lists', () => {
    const { format, direction, name } = LOCALE_FACTS[locale];
    expect(Intl.NumberFormat.supportedLocalesOf(format)).toEqual([format]);
    expect(new Intl.NumberFormat(format).format(1234567.5)).toMatch(/^[\d.,\u00a0\u202f’٬٫ ]+$/);
    expect(new Intl.NumberFormat(format).format(9)).toBe('9');
    expect(name.trim()).not.toBe('');
    // Names in these scripts are read from right to left.
    const isRightToLeft = /^[\p{Script=Arabic}\p{Script=Hebrew}]/u.test(name);
    expect(direction).toBe(isRightToLeft ? 'rtl' : 'ltr');
  });
});

test('the languages have distinct names', () => {
  expect(new Set(Object.values(LOCALE_FACTS).map(({ name }) => name)).size).toBe(LOCALES.length);
});

describe('the choice of language', () => {
  const choose = (requested: string | null, remembered: string | null, accepted: string | null) =>
    chooseLocale({ requested, remembered, accepted });

  test('is the requested language, then the remembered one, then the browser’s preference', () => {
    expect(choose('ar', 'zh', 'en')).toBe('ar');
    expect(choose(null, 'zh', 'en')).toBe('zh');
    expect(choose(null, null, 'xx-XX, en;q=0.5, zh-CN;q=0.8')).toBe('zh');
    expect(choose(null, null, 'ar-EG,ar;q=0.9')).toBe('ar');
    expect(choose('xx', 'fr', 'en')).toBe('fr');
  });

  test.each([
    ['zh', 'zh'],
    ['zh-CN', 'zh'],
    ['zh-Hans-HK', 'zh'],
    ['zh-SG', 'zh'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-MO', 'zh-Hant'],
    ['zh-Hant', 'zh-Hant'],
    ['ZH-HANT-CN', 'zh-Hant'],
    ['zh_TW', 'zh-Hant'],
    ['yue-HK', 'zh-Hant'],
    ['pt-BR', 'pt'],
    ['pt-PT', 'pt'],
    ['no', 'nb'],
    ['nn-NO', 'nb'],
    ['nb-NO', 'nb'],
    ['in', 'id'],
    ['iw-IL', 'he'],
    ['tl-PH', 'fil'],
    ['fil', 'fil'],
    ['sr-Latn-RS', 'sr'],
    ['de-AT', 'de'],
    ['es-419', 'es'],
  ])('maps %s to %s from every source', (tag, locale) => {
    expect(localeOf(tag)).toBe(locale);
    expect([choose(tag, null, null), choose(null, tag, null), choose(null, null, tag)]).toEqual(Array(3).fill(locale));
  });

  test.each(['../../etc', '__proto__', 'constructor', '', '*', 'q=1', 'xx', 'english', 'zh;q=0', 'a'.repeat(10_000)])(
    'falls back to English for %j',
    (text) => {
      expect(choose(text, text, text)).toBe('en');
    },
  );
});
