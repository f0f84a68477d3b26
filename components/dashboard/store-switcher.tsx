'use client';
// The current store, and the links to the others.

import { usePathname } from 'next/navigation';
import { Icon } from '@/components/ui/icon';
import { Menu, type MenuEntry } from '@/components/ui/menu';
import { useWords } from '@/components/ui/words';
import { placeOfPath, homeOf } from './places';
import { useViewer } from './viewer';

export function StoreSwitcher() {
  const { t } = useWords();
  const path = usePathname();
  const viewer = useViewer();
  if (!viewer) return null;
  const { storeId, isOperator } = placeOfPath(path);
  const current = viewer.stores.find((one) => one.id === storeId);
  const name = current?.name ?? storeId ?? (isOperator ? t('navOperator') : t('navNoStore'));
  const entries: MenuEntry[] = [
    ...viewer.stores.slice(0, MAX_SHOWN).map((store): MenuEntry => ({
      kind: 'link',
      label: store.name,
      href: homeOf(store),
      isCurrent: store.id === storeId,
      ...(store.status === 'approved' ? {} : { note: t(`navStatus_${store.status}`) }),
    })),
    ...(viewer.stores.length > 0 ? [{ kind: 'line' } as const] : []),
    { kind: 'link', label: t('navAllStores'), href: '/dashboard', icon: 'stores' },
    ...(viewer.isOperator
      ? [{ kind: 'link', label: t('navOperator'), href: '/operator/stores', icon: 'shield' } as const]
      : [{ kind: 'link', label: t('navNewStore'), href: '/dashboard/new', icon: 'plus' } as const]),
  ];
  return (
    <Menu
      buttonClassName="flex w-full min-w-0 items-center gap-2.5 rounded-lg p-1.5 text-start hover:bg-hover pointer-coarse:min-h-11"
      button={
        <>
          <span className="sr-only">{t('navSwitchStore')}: </span>
          <span
            aria-hidden="true"
            className="grid size-7 flex-none place-items-center rounded-lg bg-ink text-[0.8125rem] font-bold text-surface"
          >
            {current ? ([...name][0] ?? '').toLocaleUpperCase() : <Icon name={isOperator ? 'shield' : 'stores'} />}
          </span>
          <span className="min-w-0 flex-1 font-semibold">
            {/* Truncated at its own end in either writing direction. */}
            <bdi className="block w-fit max-w-full truncate">{name}</bdi>
          </span>
          <Icon name="down" size={14} className="text-muted" />
        </>
      }
      entries={entries}
    />
  );
}

/** The list of all stores shows more. */
const MAX_SHOWN = 12;
