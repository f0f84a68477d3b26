'use client';
// Live or test: two links to the same list, so that the address always states the environment. Every store page has the
// switch and the band above, even where both are the same, so that the layout never shifts.

import { usePathname } from 'next/navigation';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import { placeOfPath, inEnvironment } from './places';

export function LiveTestSwitch() {
  const { t } = useWords();
  const path = usePathname();
  const { storeId, environment } = placeOfPath(path);
  if (storeId === null) return null;
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

/** The band on every page of test payments. The store's other pages keep its space. */
export function EnvironmentBand() {
  const { t } = useWords();
  const { storeId, environment } = placeOfPath(usePathname());
  if (storeId === null) return null;
  return (
    <p
      className={`no-print grid min-h-5 px-2 text-center text-2xs leading-5 sm:text-xs ${environment === 'test' ? 'bg-test font-semibold text-test-ink' : 'bg-surface text-muted'}`}
    >
      {environment !== 'test' && (
        // As high as the text of the test pages, which takes two lines in some languages on narrow screens.
        <span aria-hidden="true" className="invisible col-start-1 row-start-1 font-semibold">
          {t('navTestBand')}
        </span>
      )}
      <span className="col-start-1 row-start-1">
        {environment === 'test' && t('navTestBand')}
        {environment === null && t('navBothBand')}
      </span>
    </p>
  );
}
