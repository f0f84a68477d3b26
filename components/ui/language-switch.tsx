// The language switch: a plain form that keeps the rest of the page's address. The device's own list handles forty
// entries on any phone, needs no script, and is a fifth of the size of as many links. The button is for pages without
// scripts and for the keyboard; elsewhere a choice applies at once.

import { LOCALE_FACTS, LOCALE_QUERY, LOCALES, type Locale } from '@/lib/i18n/locales';
import { getWords } from '@/lib/i18n/translate';
import { Icon } from './icon';
import { LanguageSelect } from './language-select';

type Props = {
  readonly query?: Readonly<Record<string, string>>;
  readonly locales?: readonly Locale[];
  /** The label of the choice; the payment page's label by default. */
  readonly label?: string;
};

export async function LanguageSwitch({ query = {}, locales = LOCALES, label }: Props) {
  const { t, locale } = await getWords();
  const name = label ?? t('languageLabel');
  return (
    <form className="languages" method="get" aria-label={name}>
      {Object.entries(query).map(([field, value]) => (
        <input key={field} type="hidden" name={field} value={value} />
      ))}
      <Icon name="globe" />
      <LanguageSelect key={locale} name={LOCALE_QUERY} chosen={locale} label={name}>
        {locales.map((one) => (
          <option key={one} value={one} lang={one}>
            {LOCALE_FACTS[one].name}
          </option>
        ))}
      </LanguageSelect>
      <button type="submit" className="button-quiet" aria-label={`${name} ✓`}>
        ✓
      </button>
    </form>
  );
}
