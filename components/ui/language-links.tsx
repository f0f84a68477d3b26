// The switch between languages: plain links that keep the rest of the page's address.

import { LOCALE_FACTS, LOCALE_QUERY, LOCALES } from '@/lib/i18n/locales';
import { getWords } from '@/lib/i18n/translate';

export async function LanguageLinks({ query = {} }: { query?: Readonly<Record<string, string>> }) {
  const { t, locale } = await getWords();
  return (
    <nav className="languages" aria-label={t('languageLabel')}>
      <ul>
        {LOCALES.map((one) => (
          <li key={one}>
            <a
              href={`?${new URLSearchParams({ ...query, [LOCALE_QUERY]: one })}`}
              lang={one}
              hrefLang={one}
              dir={LOCALE_FACTS[one].direction}
              aria-current={one === locale || undefined}
            >
              {LOCALE_FACTS[one].name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
