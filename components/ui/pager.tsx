'use client';
// Pages through a list by cursors. There are no page numbers, because they shift in a growing list.

import { buttonClass } from './button';
import { Icon } from './icon';
import { Link } from './link';
import { useWords } from './words';

type Props = {
  /** Null where there is nothing newer or older. */
  readonly newerHref: string | null;
  readonly olderHref: string | null;
  /** The number of rows on this page. */
  readonly shown: number;
};

export function Pager({ newerHref, olderHref, shown }: Props) {
  const { t } = useWords();
  if (newerHref === null && olderHref === null) return null;
  return (
    <nav
      aria-label={t('uiPages')}
      className="flex items-center justify-between gap-3 border-t border-line px-4 py-2.5 text-[0.8125rem] text-muted sm:px-5"
    >
      <span>{t('uiShown', { count: shown })}</span>
      <span className="flex gap-2">
        <Step href={newerHref} label={t('uiNewer')} isBack />
        <Step href={olderHref} label={t('uiOlder')} />
      </span>
    </nav>
  );
}

function Step({ href, label, isBack = false }: { href: string | null; label: string; isBack?: boolean }) {
  const inside = (
    <>
      {isBack && <Icon name="left" size={14} className="rtl:rotate-180" />}
      {label}
      {!isBack && <Icon name="right" size={14} className="rtl:rotate-180" />}
    </>
  );
  const className = buttonClass('secondary', 'small');
  if (href !== null) {
    return (
      <Link href={href} rel={isBack ? 'prev' : 'next'} className={className}>
        {inside}
      </Link>
    );
  }
  return (
    <span aria-disabled="true" className={className}>
      {inside}
    </span>
  );
}
