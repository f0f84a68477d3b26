'use client';
// The actions of a list row behind one button, so that long lists do not fill with buttons.

import { Icon } from './icon';
import { Menu, type MenuEntry } from './menu';
import { useWords } from './words';

/** `name` identifies the row for screen readers. Without entries there is no button. */
export function RowMenu({ name, entries }: { name: string; entries: readonly MenuEntry[] }) {
  const { t } = useWords();
  if (entries.length === 0) return null;
  return (
    <span className="needs-scripts ms-auto md:-my-2 inline-flex align-middle">
      <Menu
        label={t('uiActionsFor', { name })}
        buttonClassName="inline-grid size-9 flex-none place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
        button={<Icon name="more" size={18} />}
        entries={entries}
      />
    </span>
  );
}
