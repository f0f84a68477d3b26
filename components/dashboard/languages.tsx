'use client';
// The dashboard's languages as links that keep the rest of the address; proxy.ts keeps the choice.

import { usePathname, useSearchParams } from 'next/navigation';
import { DASHBOARD_LOCALES } from '@/lib/i18n/dashboard';
import { LOCALE_FACTS, LOCALE_QUERY } from '@/lib/i18n/locales';
import { useWords } from '@/components/ui/words';

export function DashboardLanguages() {
  const { t, locale } = useWords();
  const path = usePathname();
  const query = useSearchParams();
  const href = (one: string) => {
    const next = new URLSearchParams(query);
    next.set(LOCALE_QUERY, one);
    return `${path}?${next}`;
  };
  return (
    <nav aria-label={t('uiLanguage')}>
      <ul className="flex flex-wrap gap-1">
        {DASHBOARD_LOCALES.map((one) => (
          <li key={one}>
            {/* A full load: the frame of the page speaks the language too. */}
            <a
              href={href(one)}
              lang={one}
              hrefLang={one}
              aria-current={one === locale ? 'true' : undefined}
              className={`inline-flex min-h-8 items-center rounded-lg px-2.5 text-[0.8125rem] no-underline pointer-coarse:min-h-11 ${one === locale ? 'bg-accent-soft font-semibold text-accent' : 'text-muted hover:text-ink'}`}
            >
              {LOCALE_FACTS[one].name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
