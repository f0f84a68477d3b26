'use client';
// A button that opens a list of links and actions: arrow keys, first letters, Escape, and the focus back on the button.

import * as Ariakit from '@ariakit/react';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './icon';
import { Link } from './link';

export type MenuEntry =
  | {
      readonly kind: 'link';
      readonly label: string;
      readonly href: string;
      readonly icon?: IconName;
      readonly isCurrent?: boolean;
      readonly note?: string;
    }
  | {
      readonly kind: 'action';
      readonly label: string;
      readonly icon?: IconName;
      readonly isDangerous?: boolean;
      readonly onSelect: () => void;
    }
  | { readonly kind: 'heading'; readonly label: string }
  | { readonly kind: 'line' };

type Props = {
  /** The content of the button. */
  readonly button: ReactNode;
  /** Its name, if its content is not text. */
  readonly label?: string | undefined;
  readonly buttonClassName?: string;
  readonly entries: readonly MenuEntry[];
  /** Stands above the entries. */
  readonly head?: ReactNode;
};

const ENTRY =
  'flex w-full items-center gap-2.5 rounded-lg px-2.5 py-2 text-start no-underline outline-none data-active-item:bg-hover pointer-coarse:min-h-11';

export function Menu({ button, label, buttonClassName, entries, head }: Props) {
  return (
    <Ariakit.MenuProvider placement="bottom-start">
      <Ariakit.MenuButton aria-label={label} className={buttonClassName ?? 'rounded-lg'}>
        {button}
      </Ariakit.MenuButton>
      <Ariakit.Menu
        unmountOnHide
        portal
        gutter={6}
        className="dash z-50 max-h-(--popover-available-height) w-64 max-w-[calc(100vw-1rem)] animate-rise overflow-y-auto rounded-xl border border-line bg-raised p-1.5 text-ink shadow-pop outline-none"
      >
        {head}
        {entries.map((entry, index) => (
          // The entries of a menu do not move.
          <Entry key={index} entry={entry} />
        ))}
      </Ariakit.Menu>
    </Ariakit.MenuProvider>
  );
}

function Entry({ entry }: { entry: MenuEntry }) {
  switch (entry.kind) {
    case 'line':
      return <Ariakit.MenuSeparator className="my-1.5 h-0 border-t border-line" />;
    case 'heading':
      return <div className="px-2.5 pt-2 pb-1 text-xs font-semibold text-muted">{entry.label}</div>;
    case 'link':
      return (
        <Ariakit.MenuItem
          className={`${ENTRY} text-ink`}
          render={<Link href={entry.href} aria-current={entry.isCurrent ? 'true' : undefined} />}
        >
          {entry.icon && <Icon name={entry.icon} className="text-muted" />}
          <span className="min-w-0 flex-1 truncate">{entry.label}</span>
          {entry.note && <span className="text-xs text-muted">{entry.note}</span>}
          {entry.isCurrent && <Icon name="check" className="text-accent" />}
        </Ariakit.MenuItem>
      );
    case 'action':
      return (
        <Ariakit.MenuItem className={`${ENTRY} ${entry.isDangerous ? 'text-bad' : ''}`} onClick={entry.onSelect}>
          {entry.icon && <Icon name={entry.icon} className={entry.isDangerous ? '' : 'text-muted'} />}
          <span className="flex-1">{entry.label}</span>
        </Ariakit.MenuItem>
      );
  }
}
