'use client';
// The dashboard's languages before sign-in: a plain form that keeps the rest of the address; proxy.ts stores the
// choice. A choice applies at once, as on the payment page. The button is for the keyboard and pages without scripts.

import { useSearchParams } from 'next/navigation';
import { buttonClass } from '@/components/ui/button';
import { Icon } from '@/components/ui/icon';
import { LanguageSelect } from '@/components/ui/language-select';
import { useWords } from '@/components/ui/words';
import { DASHBOARD_LOCALES } from '@/lib/i18n/dashboard';
import { LOCALE_FACTS, LOCALE_QUERY } from '@/lib/i18n/locales';

export function DashboardLanguages() {
  const { t, locale } = useWords();
  const kept = [...useSearchParams()].filter(([name]) => name !== LOCALE_QUERY);
  return (
    <form method="get" className="languages" aria-label={t('uiLanguage')}>
      {kept.map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      <Icon name="globe" />
      <LanguageSelect key={locale} name={LOCALE_QUERY} chosen={locale} label={t('uiLanguage')}>
        {DASHBOARD_LOCALES.map((one) => (
          <option key={one} value={one} lang={one}>
            {LOCALE_FACTS[one].name}
          </option>
        ))}
      </LanguageSelect>
      {/* A full load, because the frame of the page is translated too. */}
      <button type="submit" className={buttonClass('quiet', 'small')} aria-label={`${t('uiLanguage')} ✓`}>
        ✓
      </button>
    </form>
  );
}
