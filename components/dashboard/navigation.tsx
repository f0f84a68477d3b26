'use client';
// The list of the dashboard's pages, by the viewer's role and place.

import { usePathname } from 'next/navigation';
import { Icon } from '@/components/ui/icon';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import { placeOfPath, isAt, placesFor } from './places';
import { useViewer } from './viewer';

export function Navigation() {
  const { t } = useWords();
  const path = usePathname();
  const viewer = useViewer();
  if (!viewer) return null;
  return (
    <nav aria-label={t('navMain')} className="grid content-start gap-5">
      {placesFor(viewer, placeOfPath(path)).map((group) => (
        <div key={group.key ?? 'first'} className="grid gap-0.5">
          {group.key && <p className="px-2.5 pb-1 text-xs font-semibold text-muted">{t(group.key as 'navStore')}</p>}
          <ul className="grid gap-0.5">
            {group.places.map((place) => {
              const isCurrent = isAt(path, place);
              return (
                <li key={place.href}>
                  <Link
                    href={place.href}
                    aria-current={isCurrent ? 'page' : undefined}
                    className={`flex min-h-8 items-center gap-2.5 rounded-lg px-2.5 py-1 no-underline pointer-coarse:min-h-11 ${isCurrent ? 'bg-accent-soft font-semibold text-accent' : 'text-ink hover:bg-hover'}`}
                  >
                    <Icon name={place.icon} size={17} className={isCurrent ? '' : 'text-muted'} />
                    {t(place.key as 'navStores')}
                  </Link>
                </li>
              );
            })}
          </ul>
        </div>
      ))}
    </nav>
  );
}
