// The languages of the pages, and the choice of a visitor's language. Pure. proxy.ts chooses once per request and passes the
// result in a request header, so that the page, its <html lang> and its links agree. A language is a row here and a file in
// messages/.

type Facts = {
  /** Its own name of itself, as the switch shows it. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  /** The tag for Intl. Digits are Western everywhere, because people type these amounts and times into wallets. */
  readonly format: string;
};

const leftToRight = (name: string, format: string): Facts => ({ name, direction: 'ltr', format });
const rightToLeft = (name: string, format: string): Facts => ({ name, direction: 'rtl', format });

/** In the order of the language switch: by script, and by name within one. */
export const LOCALE_FACTS = {
  id: leftToRight('Bahasa Indonesia', 'id'),
  ms: leftToRight('Bahasa Melayu', 'ms'),
  cs: leftToRight('Čeština', 'cs'),
  da: leftToRight('Dansk', 'da'),
  de: leftToRight('Deutsch', 'de'),
  et: leftToRight('Eesti', 'et'),
  en: leftToRight('English', 'en'),
  es: leftToRight('Español', 'es'),
  fil: leftToRight('Filipino', 'fil'),
  fr: leftToRight('Français', 'fr'),
  hr: leftToRight('Hrvatski', 'hr'),
  it: leftToRight('Italiano', 'it'),
  lv: leftToRight('Latviešu', 'lv'),
  lt: leftToRight('Lietuvių', 'lt'),
  hu: leftToRight('Magyar', 'hu'),
  nl: leftToRight('Nederlands', 'nl'),
  nb: leftToRight('Norsk', 'nb'),
  pl: leftToRight('Polski', 'pl'),
  pt: leftToRight('Português (Brasil)', 'pt'),
  ro: leftToRight('Română', 'ro'),
  sk: leftToRight('Slovenčina', 'sk'),
  sl: leftToRight('Slovenščina', 'sl'),
  fi: leftToRight('Suomi', 'fi'),
  sv: leftToRight('Svenska', 'sv'),
  vi: leftToRight('Tiếng Việt', 'vi'),
  tr: leftToRight('Türkçe', 'tr'),
  el: leftToRight('Ελληνικά', 'el'),
  bg: leftToRight('Български', 'bg'),
  ru: leftToRight('Русский', 'ru'),
  sr: leftToRight('Српски', 'sr'),
  uk: leftToRight('Українська', 'uk'),
  he: rightToLeft('עברית', 'he-u-nu-latn'),
  ar: rightToLeft('العربية', 'ar-u-nu-latn'),
  fa: rightToLeft('فارسی', 'fa-u-nu-latn'),
  ur: rightToLeft('اردو', 'ur-u-nu-latn'),
  hi: leftToRight('हिन्दी', 'hi-u-nu-latn'),
  bn: leftToRight('বাংলা', 'bn-u-nu-latn'),
  th: leftToRight('ไทย', 'th-u-nu-latn'),
  zh: leftToRight('简体中文', 'zh-Hans-u-nu-latn'),
  'zh-Hant': leftToRight('繁體中文', 'zh-Hant-u-nu-latn'),
  ja: leftToRight('日本語', 'ja-u-nu-latn'),
  ko: leftToRight('한국어', 'ko-u-nu-latn'),
} as const satisfies Readonly<Record<string, Facts>>;

export type Locale = keyof typeof LOCALE_FACTS;
export const LOCALES = Object.keys(LOCALE_FACTS) as readonly Locale[];
export const DEFAULT_LOCALE: Locale = 'en';

/** Request header in which proxy.ts passes the chosen language to pages. A value from outside is always replaced. */
export const LOCALE_HEADER = 'x-page-locale';
export const LOCALE_QUERY = 'lang';

export const isLocale = (text: string | null | undefined): text is Locale =>
  (LOCALES as readonly (string | null | undefined)[]).includes(text);

export type LocaleWishes = {
  readonly requested: string | null;
  readonly remembered: string | null;
  readonly accepted: string | null;
};

/** `?lang`, then the cookie, then Accept-Language, then English. Unsupported languages are skipped. */
export const chooseLocale = (wishes: LocaleWishes): Locale => wished(wishes)[0] ?? DEFAULT_LOCALE;

/** The first wish that is one of these languages; null when none is. Readers of Traditional Chinese may get Simplified. */
export function chooseFrom<Tag extends Locale>(tags: readonly Tag[], wishes: LocaleWishes): Tag | null {
  const wanted = wished(wishes).flatMap((locale) => (locale === 'zh-Hant' ? [locale, 'zh'] : [locale]));
  return tags.find((tag) => tag === wanted.find((one) => (tags as readonly string[]).includes(one))) ?? null;
}

const wished = ({ requested, remembered, accepted }: LocaleWishes): Locale[] =>
  [localeOf(requested), localeOf(remembered), ...acceptedLocales(accepted ?? '')].flatMap((locale) => locale ?? []);

/** Longer tags name no language that is in use. */
const LONGEST_TAG = 35;
/** Other codes of our languages, and languages whose readers get another of ours. */
const SAME_AS: ReadonlyMap<string, Locale> = new Map<string, Locale>([
  ['no', 'nb'],
  ['nn', 'nb'],
  ['in', 'id'],
  ['iw', 'he'],
  ['tl', 'fil'],
  ['mo', 'ro'],
  ['sh', 'sr'],
  ['bs', 'hr'],
  ['cmn', 'zh'],
  ['yue', 'zh-Hant'],
]);
/** Subtags for Traditional Chinese. */
const TRADITIONAL = new Set(['hant', 'tw', 'hk', 'mo']);

/** Our language for a tag such as `pt-BR`, `zh-TW` or `iw`; null when there is none. */
export function localeOf(tag: string | null): Locale | null {
  if (tag === null || tag.length > LONGEST_TAG) return null;
  const [language = '', ...parts] = tag.trim().toLowerCase().split(/[-_]/);
  const locale = SAME_AS.get(language) ?? (isLocale(language) ? language : null);
  if (locale === 'zh' && !parts.includes('hans') && parts.some((part) => TRADITIONAL.has(part))) return 'zh-Hant';
  return locale;
}

/** No browser sends longer headers, so the tail is not read. */
const LONGEST_HEADER = 500;

function acceptedLocales(header: string): Locale[] {
  const wishes = header
    .slice(0, LONGEST_HEADER)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((text) => text.trim()).find((text) => text.startsWith('q='));
      return { locale: localeOf(tag), weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    });
  return wishes
    .filter((wish) => wish.weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .flatMap(({ locale }) => locale ?? []);
}
