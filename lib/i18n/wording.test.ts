// The texts of the customer's pages in every language: names that must not be translated, one form of address, one term for one
// thing, and no variant that a review has rejected.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { LOCALES, type Locale } from './locales';

const MESSAGES = new URL('../../messages/', import.meta.url);
const read = (path: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(path, MESSAGES), 'utf8')) as Record<string, string>;
const english = read('en.json');

/** Exchanges and wallets show these names in Latin letters in every language, so customers compare them letter by letter. */
const dashboard = read('dashboard/en.json');
const NAMES = Object.keys(english).filter((key) => {
  const network = /^(?:network|standard)([A-Z][a-z]+)$/.exec(key)?.[1]?.toLowerCase();
  return network !== undefined && `net_${network}` in dashboard;
});
const NETWORKS = ['TRON', 'Ethereum', 'BNB Smart Chain', 'Solana'];
const TRANSLATED_NETWORKS =
  /波场|波場|以太坊|智能链|智能鏈|索拉纳|(?<!\p{L})ترون|إيثريوم|سولانا|بينانس|Эфириум|Трон|Солана/u;

/** Any of these words alone, in any case; `\b` knows no letters beyond ASCII. */
const words = (...all: string[]): RegExp => new RegExp(`(?<!\\p{L})(?:${all.join('|')})(?!\\p{L})`, 'iu');

/** All pages use one form of address for the customer: es tú, it tu, nl je, pt você; de Sie, fr vous, ru and uk the polite form. */
const OTHER_REGISTER: Partial<Record<Locale, RegExp>> = {
  es: words('usted', 'ustedes', 'su dinero', 'abra', 'inténtelo', 'póngase', 'compruebe', 'copie', 'indique'),
  it: words('Lei', 'apra', 'chieda', 'riprovi', 'verifichi', 'indirizzo Suo', 'Suo denaro'),
  nl: words('u', 'uw'),
  pt: words('tu', 'teu', 'tua', 'contigo'),
  de: words('du', 'dich', 'dir', 'dein', 'deine', 'deiner', 'deinem', 'deinen'),
  fr: words('tu', 'toi', 'tes', 'ta'),
  ru: words('ты', 'тебя', 'тебе', 'твой', 'твоя', 'твоего'),
  uk: words('ти', 'тебе', 'тобі', 'твій', 'твоя', 'твого'),
};

/** Rejected variants. The comment names the word to use instead. */
const REJECTED: Partial<Record<Locale, readonly RegExp[]>> = {
  en: [/by itself, but it is recorded/, /above all its beginning/, /its check digits/, /[Tt]aken back/],
  zh: [/看到付款/ /* 检测到 */, /返回商店|店铺/ /* 商家 */, /下方的编号/ /* 参考号 */, /撤回/ /* 回滚 */],
  'zh-Hant': [/回到商店|向商店/ /* 商家 */, /撤回/ /* 回滾 */],
  ja: [/領収書/ /* 明細 */],
  ko: [/\{currency\}(?:이\(가\)|을\(를\))/ /* 가, 를 */],
  es: [words('monedero', 'cartera') /* billetera */],
  pt: [words('recibo', 'recibos') /* comprovante */],
  it: [words('tasse') /* imposte */, words('portafoglio') /* wallet */],
  nl: [words('zo net') /* zojuist */],
  de: [words('zurückgenommen') /* rückgängig gemacht */],
  ru: [words('сч[её]т', 'сч[её]те', 'сч[её]та', 'сч[её]ту') /* аккаунт */],
  uk: [words('рахунок', 'рахунку', 'рахунка') /* обліковий запис */, words('ланцюги') /* блокчейни */],
  tr: [/makbuz/i /* dekont */, words('ulaştı') /* alındı */],
  sr: [words('везу', 'веза за плаћање') /* линк */],
  bn: [/পৃষ্ঠা|পাতা/u /* পেজ */],
  fa: [/نشانی/u /* آدرس */, /پیوند/u /* لینک */],
  he: [/(?<!\p{L})קבלה(?!\p{L})/u /* אישור */],
  ur: [/(?<!\p{L})پت[اہے](?!\p{L})/u /* ایڈریس */, /دکان/u /* اسٹور */],
  vi: [/mã băm/i /* mã giao dịch */],
  id: [words('peramban') /* browser */, words('terlihat.*jaringan') /* terdeteksi */],
  et: [words('pood', 'poodi', 'poe', 'poest', 'poelt', 'poele') /* kauplus */],
  hu: [words('üzletbe', 'üzlettől', 'üzletnek') /* kereskedő */],
};

/** Every text of the customer's pages, the page for failures included, as `key: text`. */
const textsOf = (locale: Locale): string[] =>
  Object.entries({ ...read(`${locale}.json`), ...read(`error/${locale}.json`) }).map(
    ([key, text]) => `${key}: ${text}`,
  );

describe.each(LOCALES)('the words of %s', (locale) => {
  const catalogue = read(`${locale}.json`);

  test('name networks and token standards in Latin letters', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(2 * NETWORKS.length);
    expect(NAMES.map((key) => catalogue[key])).toEqual(NAMES.map((key) => english[key]));
    expect(NETWORKS.filter((name) => !catalogue.homeText?.includes(name))).toEqual([]);
    expect(textsOf(locale).filter((text) => TRANSLATED_NETWORKS.test(text))).toEqual([]);
  });

  test('use one form of address for the customer', () => {
    expect(textsOf(locale).filter((text) => OTHER_REGISTER[locale]?.test(text))).toEqual([]);
  });

  test('have no rejected variant', () => {
    expect(textsOf(locale).filter((text) => REJECTED[locale]?.some((one) => one.test(text)))).toEqual([]);
  });
});

test('French has a no-break space before each colon, semicolon, question mark and exclamation mark', () => {
  const texts = Object.values({ ...read('fr.json'), ...read('error/fr.json') });
  expect(texts.filter((text) => /[^\u00a0][:;?!]/u.test(text))).toEqual([]);
});

test('a word is recognised beside letters that are not ASCII', () => {
  expect(words('tu').test('Veux-tu payer ?')).toBe(true);
  expect(words('tu').test('têtu, situé')).toBe(false);
});
