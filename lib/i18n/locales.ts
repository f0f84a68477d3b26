// The languages of the pages, and which of them a visitor gets. Pure: proxy.ts asks once per request and tells the page
// by a request header, so that the page, its <html lang> and its links agree.

export const LOCALES = ['en', 'zh', 'ar'] as const;
export type Locale = (typeof LOCALES)[number];
export const DEFAULT_LOCALE: Locale = 'en';

type Facts = {
  /** Its name in itself, as the switch shows it. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
  /** What Intl formats by. Digits are Western everywhere, because amounts and times here are typed into wallets. */
  readonly format: string;
};

export const LOCALE_FACTS: Readonly<Record<Locale, Facts>> = {
  en: { name: 'English', direction: 'ltr', format: 'en' },
  zh: { name: '中文', direction: 'ltr', format: 'zh-Hans-u-nu-latn' },
  ar: { name: 'العربية', direction: 'rtl', format: 'ar-u-nu-latn' },
};

/** Request header by which proxy.ts tells the pages the chosen language; one from outside is always replaced. */
export const LOCALE_HEADER = 'x-page-locale';
export const LOCALE_COOKIE = 'lang';
export const LOCALE_QUERY = 'lang';

export const isLocale = (text: string | null | undefined): text is Locale =>
  (LOCALES as readonly (string | null | undefined)[]).includes(text);

export type LocaleWishes = {
  readonly asked: string | null;
  readonly remembered: string | null;
  readonly accepted: string | null;
};

/** `?lang`, then the cookie, then Accept-Language, then English; whatever is not a language of ours is passed over. */
export const chooseLocale = (wishes: LocaleWishes): Locale => chooseFrom(LOCALES, wishes) ?? DEFAULT_LOCALE;

/** The first wish that is one of these languages; null when none is. */
export function chooseFrom<Tag extends string>(tags: readonly Tag[], wishes: LocaleWishes): Tag | null {
  const named = [wishes.asked, wishes.remembered, ...acceptedLanguages(wishes.accepted ?? '')];
  return tags.find((tag) => tag === named.find((name) => (tags as readonly (string | null)[]).includes(name))) ?? null;
}

/** Longer headers come from no browser, and their tail is not read. */
const LONGEST_HEADER = 500;

function acceptedLanguages(header: string): string[] {
  const wishes = header
    .slice(0, LONGEST_HEADER)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((text) => text.trim()).find((text) => text.startsWith('q='));
      return { language: tag.split('-')[0] ?? '', weight: weight === undefined ? 1 : Number(weight.slice(2)) };
    });
  return wishes
    .filter((wish) => wish.weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ language }) => language);
}
