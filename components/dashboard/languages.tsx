'use client';
// The dashboard's languages on the pages before the sign-in: a plain form that keeps the rest of the address; proxy.ts keeps
// the choice.

import { useSearchParams } from 'next/navigation';
import { Button } from '@/components/ui/button';
import { useWords } from '@/components/ui/words';
import { DASHBOARD_LOCALES } from '@/lib/i18n/dashboard';
import { LOCALE_FACTS, LOCALE_QUERY } from '@/lib/i18n/locales';

export function DashboardLanguages() {
  const { t, locale } = useWords();
  const kept = [...useSearchParams()].filter(([name]) => name !== LOCALE_QUERY);
  return (
    <form method="get" className="flex gap-2">
      {kept.map(([name, value]) => (
        <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
      ))}
      <select
        name={LOCALE_QUERY}
        defaultValue={locale}
        aria-label={t('uiLanguage')}
        autoComplete="off"
        className="min-h-9 rounded-lg border border-edge bg-field px-2.5 text-[0.8125rem] text-ink pointer-coarse:min-h-11"
      >
        {DASHBOARD_LOCALES.map((one) => (
          <option key={one} value={one} lang={one}>
            {LOCALE_FACTS[one].name}
          </option>
        ))}
      </select>
      {/* A full load: the frame of the page speaks the language too. */}
      <Button type="submit" kind="quiet" size="small" aria-label={`${t('uiLanguage')} ✓`}>
        ✓
      </Button>
    </form>
  );
}
