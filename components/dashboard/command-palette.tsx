'use client';
// Ctrl-K or ⌘-K: every page and store by name, and a search for any other text.

import * as Ariakit from '@ariakit/react';
import { usePathname, useRouter } from 'next/navigation';
import { useEffect, useState } from 'react';
import { Icon, type IconName } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import { placeOfPath, homeOf, placesFor, type Here } from './places';
import { useViewer } from './viewer';

type Target = { readonly href: string; readonly label: string; readonly icon: IconName; readonly note?: string };

/** No id, hash or order number is longer. */
const LONGEST_TEXT = 200;

export function CommandPalette() {
  const { t } = useWords();
  const router = useRouter();
  const [isOpen, setIsOpen] = useState(false);
  const [text, setText] = useState('');

  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setIsOpen(true);
    };
    window.addEventListener('keydown', open);
    return () => window.removeEventListener('keydown', open);
  }, []);

  const close = () => {
    setIsOpen(false);
    setText('');
  };
  const go = (href: string) => {
    close();
    router.push(href);
  };
  const { pages, searches } = useTargets(text);
  return (
    <>
      <button
        type="button"
        onClick={() => setIsOpen(true)}
        className="needs-scripts flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-lg border border-edge/50 bg-surface px-2.5 text-muted shadow-card hover:border-edge max-sm:ms-auto max-sm:size-9 max-sm:flex-none max-sm:justify-center max-sm:p-0 sm:max-w-sm pointer-coarse:min-h-11 max-sm:pointer-coarse:size-11"
      >
        <Icon name="search" />
        <span className="truncate max-sm:sr-only">{t('paletteOpen')}</span>
        <kbd className="ms-auto rounded border border-line px-1.5 font-mono text-2xs max-sm:hidden pointer-coarse:hidden">
          Ctrl K
        </kbd>
      </button>
      <Ariakit.Dialog
        open={isOpen}
        onClose={close}
        unmountOnHide
        aria-label={t('paletteLabel')}
        backdrop={<div className="bg-veil" />}
        className="dash fixed inset-x-3 top-[10dvh] z-50 mx-auto flex max-h-[76dvh] max-w-xl animate-rise flex-col overflow-hidden rounded-2xl bg-raised text-ink shadow-pop outline-none"
      >
        <Ariakit.ComboboxProvider open value={text} setValue={setText} focusLoop>
          <div className="flex items-center gap-2.5 border-b border-line px-4 text-muted">
            <Icon name="search" size={18} />
            <Ariakit.Combobox
              autoSelect="always"
              maxLength={LONGEST_TEXT}
              aria-label={t('paletteLabel')}
              placeholder={t('paletteOpen')}
              className="min-h-13 min-w-0 flex-1 text-base text-ink outline-none"
            />
            <kbd className="rounded border border-line px-1.5 font-mono text-2xs">Esc</kbd>
          </div>
          <Ariakit.ComboboxList alwaysVisible aria-label={t('paletteLabel')} className="overflow-y-auto p-2">
            <Group label={t('palettePages')} targets={pages} onGo={go} />
            <Group label={t('paletteSearch')} targets={searches} onGo={go} />
            {pages.length + searches.length === 0 && (
              <p className="px-3 py-6 text-center text-muted">{t('paletteEmpty')}</p>
            )}
          </Ariakit.ComboboxList>
        </Ariakit.ComboboxProvider>
      </Ariakit.Dialog>
    </>
  );
}

function Group({ label, targets, onGo }: { label: string; targets: readonly Target[]; onGo: (href: string) => void }) {
  if (targets.length === 0) return null;
  return (
    <Ariakit.ComboboxGroup className="mb-1">
      <Ariakit.ComboboxGroupLabel className="px-2.5 pt-1.5 pb-1 text-xs font-semibold text-muted">
        {label}
      </Ariakit.ComboboxGroupLabel>
      {targets.map(({ href, label: name, icon, note }) => (
        <Ariakit.ComboboxItem
          key={href}
          value={href}
          setValueOnClick={false}
          hideOnClick={false}
          onClick={() => onGo(href)}
          className="flex cursor-pointer items-center gap-3 rounded-lg px-2.5 py-2 data-active-item:bg-accent-soft data-active-item:text-accent pointer-coarse:py-3"
        >
          <Icon name={icon} size={17} />
          <span className="min-w-0 flex-1 truncate">{name}</span>
          {note && <span className="text-xs text-muted">{note}</span>}
        </Ariakit.ComboboxItem>
      ))}
    </Ariakit.ComboboxGroup>
  );
}

/** The matches of the text: pages and stores by name, and searches for the text itself. */
function useTargets(text: string): { pages: readonly Target[]; searches: readonly Target[] } {
  const { t } = useWords();
  const path = usePathname();
  const viewer = useViewer();
  if (!viewer) return { pages: [], searches: [] };
  const here = placeOfPath(path);
  const wanted = text.trim().toLocaleLowerCase();
  const pagesAt = (at: Here, note?: string): Target[] =>
    placesFor(viewer, at).flatMap((group) =>
      group.places.map(({ href, key, icon }) => ({ href, label: t(key as 'navStores'), icon, ...(note && { note }) })),
    );
  // Outside of a store, list the pages of the first stores.
  const near = here.storeId === null ? viewer.stores.slice(0, LISTED_STORES) : [];
  const places = [
    ...pagesAt(here),
    ...near.flatMap(({ id, name }) => pagesAt({ storeId: id, environment: null, isOperator: false }, name)),
  ];
  const stores = viewer.stores.map((store) => ({
    href: homeOf(store),
    label: store.name,
    icon: 'stores' as const,
    note: t('navStore'),
  }));
  const account: Target = { href: '/dashboard/account', label: t('navAccount'), icon: 'user' };
  const all: Target[] = [
    ...places,
    ...stores.filter(({ href }) => !places.some((one) => one.href === href)),
    ...(places.some(({ href }) => href === account.href) ? [] : [account]),
  ];
  const pages = all.filter(({ label }) => label.toLocaleLowerCase().includes(wanted)).slice(0, MAX_PAGES);
  return { pages, searches: wanted === '' ? [] : searchesFor(text.trim()) };

  function searchesFor(given: string): Target[] {
    const query = new URLSearchParams({ q: given }).toString();
    if (viewer?.isOperator && here.storeId === null) {
      return [
        { href: `/operator/stores?${query}`, label: t('paletteStores', { text: given }), icon: 'stores' },
        { href: `/operator/users?${query}`, label: t('paletteUsers', { text: given }), icon: 'user' },
      ];
    }
    const store = here.storeId ?? viewer?.stores[0]?.id;
    if (store === undefined) return [];
    const base = `/dashboard/${encodeURIComponent(store)}/${here.environment ?? 'live'}`;
    return [
      { href: `${base}/payments?${query}`, label: t('palettePayments', { text: given }), icon: 'payments' },
      { href: `${base}/refunds?${query}`, label: t('paletteRefunds', { text: given }), icon: 'refunds' },
    ];
  }
}

const LISTED_STORES = 3;
/** With more entries, the palette would be no faster than the navigation. */
const MAX_PAGES = 12;
