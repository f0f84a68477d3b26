'use client';
// The frame around every page of a signed-in user. On wide screens the navigation is at the side. Phones have a bar
// with the most used pages at the bottom edge and a sheet with all pages. The search and the menus are above the page.

import * as Ariakit from '@ariakit/react';
import { usePathname } from 'next/navigation';
import { useState, type ReactNode } from 'react';
import { Icon } from '@/components/ui/icon';
import { Link } from '@/components/ui/link';
import { ProductMark } from '@/components/ui/marks';
import { useWords } from '@/components/ui/words';
import { CommandPalette } from './command-palette';
import { LiveFactorNotice } from './live-factor-notice';
import { EnvironmentBand, LiveTestSwitch } from './live-test-switch';
import { Navigation } from './navigation';
import { placeOfPath, isAt, tabsFor } from './places';
import { Progress } from './progress';
import { StoreSwitcher } from './store-switcher';
import { UserMenu } from './user-menu';
import { useViewer } from './viewer';

const TAB =
  'flex h-14 min-w-0 flex-col items-center justify-center gap-0.5 px-1 text-[0.6875rem] font-semibold no-underline';

export function Shell({ children }: { children: ReactNode }) {
  const { t } = useWords();
  const environment = placeOfPath(usePathname()).environment;
  return (
    <div className="dash flex min-h-dvh flex-col" data-mode={environment ?? undefined}>
      <a
        href="#content"
        className="absolute start-3 -top-16 z-60 rounded-lg bg-fill px-4 py-2.5 font-semibold text-fill-ink no-underline focus:top-3"
      >
        {t('uiSkip')}
      </a>
      <Progress />
      <EnvironmentBand />
      <div className="mx-auto w-full flex-1 md:grid md:grid-cols-[15rem_minmax(0,1fr)] print:block">
        <div className="shell-side no-print hidden border-e border-line bg-surface md:block">
          <aside className="flex flex-col gap-4 p-3 pb-10 md:sticky md:top-0 md:h-full md:max-h-dvh md:overflow-y-auto">
            <StoreSwitcher />
            <Navigation />
            <Link
              href="/dashboard"
              className="mt-auto flex items-center gap-2 px-2.5 py-1 text-xs font-semibold text-muted no-underline [&_svg]:size-5"
            >
              <ProductMark />
              {t('productName')}
            </Link>
          </aside>
        </div>
        <div className="min-w-0">
          <header className="no-print sticky top-0 z-20 flex h-(--bar) items-center gap-2 border-b border-line bg-surface px-3 sm:px-6">
            <div className="min-w-0 max-w-44 md:hidden">
              <StoreSwitcher />
            </div>
            <CommandPalette />
            <div className="flex flex-none items-center gap-1.5 sm:ms-auto">
              <LiveTestSwitch />
              <UserMenu />
            </div>
          </header>
          <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-6 pb-28 outline-none sm:px-6 md:pb-12">
            <LiveFactorNotice />
            {children}
          </main>
        </div>
      </div>
      <PhoneNavigation />
    </div>
  );
}

/** Within the thumb's reach: the most used pages, and a button that opens the whole navigation as a sheet. */
function PhoneNavigation() {
  const { t } = useWords();
  const path = usePathname();
  const viewer = useViewer();
  // The path where the sheet was opened: a link to another page closes the sheet.
  const [openedAt, setOpenedAt] = useState<string | null>(null);
  const isOpen = openedAt === path;
  return (
    <div className="needs-scripts no-print md:hidden">
      <nav
        aria-label={t('navMain')}
        className="fixed inset-x-0 bottom-0 z-30 grid auto-cols-fr grid-flow-col border-t border-line bg-surface pb-[env(safe-area-inset-bottom)]"
      >
        {viewer &&
          tabsFor(viewer, placeOfPath(path)).map((place) => (
            <Link
              key={place.href}
              href={place.href}
              aria-current={isAt(path, place) ? 'page' : undefined}
              className={`${TAB} ${isAt(path, place) ? 'text-accent' : 'text-muted'}`}
            >
              <Icon name={place.icon} size={20} />
              <span className="max-w-full truncate">{t(place.key as 'navStores')}</span>
            </Link>
          ))}
        <button
          type="button"
          aria-haspopup="dialog"
          aria-expanded={isOpen}
          onClick={() => setOpenedAt(path)}
          className={`${TAB} text-muted`}
        >
          <Icon name="menu" size={20} />
          {t('navMenu')}
        </button>
      </nav>
      <Ariakit.Dialog
        open={isOpen}
        onClose={() => setOpenedAt(null)}
        unmountOnHide
        aria-label={t('navMain')}
        backdrop={<div className="bg-veil" />}
        className="dash fixed inset-x-0 bottom-0 z-50 max-h-[85dvh] animate-rise overflow-y-auto rounded-t-2xl bg-raised p-4 pb-8 text-ink shadow-pop outline-none"
      >
        <Navigation />
      </Ariakit.Dialog>
    </div>
  );
}
