// The switch between languages: a plain form that keeps the rest of the page's address. The device's own list of choices is
// usable with forty entries on any phone, needs no script and weighs a fifth of as many links.

import { LOCALE_FACTS, LOCALE_QUERY, LOCALES } from '@/lib/i18n/locales';
import { getWords } from '@/lib/i18n/translate';

export async function LanguageSwitch({ query = {} }: { query?: Readonly<Record<string, string>> }) {
  const { t, locale } = await getWords();
  return (
    <form className="languages" method="get" aria-label={t('languageLabel')}>
      {Object.entries(query).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <select key={locale} name={LOCALE_QUERY} defaultValue={locale} aria-label={t('languageLabel')} autoComplete="off">
        {LOCALES.map((one) => (
          <option key={one} value={one} lang={one}>
            {LOCALE_FACTS[one].name}
          </option>
        ))}
      </select>
      <button type="submit" className="button-quiet" aria-label={`${t('languageLabel')} ✓`}>
        ✓
      </button>
    </form>
  );
}
