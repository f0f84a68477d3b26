'use client';
// Live or test: two links to the same list, so that it is always in the address which of them is looked at.

import { usePathname } from 'next/navigation';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import { hereOf, inEnvironment } from './places';

export function LiveTestSwitch() {
  const { t } = useWords();
  const path = usePathname();
  const { environment } = hereOf(path);
  if (environment === null) return null;
  return (
    <nav
      aria-label={t('navEnvironment')}
      className="flex flex-none rounded-lg border border-edge/50 bg-surface p-0.5 shadow-card"
    >
      {(['live', 'test'] as const).map((one) => (
        <Link
          key={one}
          href={inEnvironment(path, one)}
          aria-current={one === environment ? 'true' : undefined}
          className={`flex min-h-7 items-center rounded-md px-2.5 text-[0.8125rem] font-semibold no-underline pointer-coarse:min-h-10 ${one !== environment ? 'text-muted hover:text-ink' : one === 'test' ? 'bg-test text-test-ink' : 'bg-fill text-fill-ink'}`}
        >
          {one === 'live' ? t('navLive') : t('navTest')}
        </Link>
      ))}
    </nav>
  );
}

/** The band that no page of test payments is without. */
export function TestBand() {
  const { t } = useWords();
  return (
    <p className="no-print min-h-5 bg-test px-4 text-center text-xs leading-5 font-semibold text-test-ink">
      {t('navTestBand')}
    </p>
  );
}
