'use client';
// Tabs within a page, moved through with the arrow keys; and the similar row of links where each tab is a page.

import * as Ariakit from '@ariakit/react';
import type { ReactNode } from 'react';
import { useIsInBrowser } from './is-in-browser';
import { Link } from './link';

type Tab = { readonly id: string; readonly label: string; readonly content: ReactNode };

const ROW = 'flex gap-5 overflow-x-auto border-b border-line';
const TAB =
  'relative flex min-h-10 items-center border-b-2 font-semibold whitespace-nowrap no-underline pointer-coarse:min-h-11';
const IDLE = 'border-transparent text-muted hover:text-ink';

/** Without scripts the first tab's content is readable. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const isInBrowser = useIsInBrowser();
  // An inline style hides a hidden panel, and the policy forbids inline styles in the server's HTML.
  const panels = isInBrowser ? tabs : tabs.slice(0, 1);
  return (
    <Ariakit.TabProvider defaultSelectedId={tabs[0]?.id ?? null}>
      <Ariakit.TabList aria-label={label} className={ROW}>
        {tabs.map(({ id, label: name }) => (
          <Ariakit.Tab
            key={id}
            id={id}
            className={`${TAB} ${IDLE} aria-selected:border-accent aria-selected:text-accent`}
          >
            {name}
          </Ariakit.Tab>
        ))}
      </Ariakit.TabList>
      {panels.map(({ id, content }) => (
        <Ariakit.TabPanel key={id} tabId={id} unmountOnHide className="pt-4">
          {content}
        </Ariakit.TabPanel>
      ))}
    </Ariakit.TabProvider>
  );
}

export type TabLink = {
  readonly href: string;
  readonly label: string;
  readonly isCurrent: boolean;
  readonly count?: string;
};

export function TabLinks({ label, links }: { label: string; links: readonly TabLink[] }) {
  return (
    <nav aria-label={label} className={`${ROW} mb-4`}>
      {links.map(({ href, label: name, isCurrent, count }) => (
        <Link
          key={href}
          href={href}
          aria-current={isCurrent ? 'page' : undefined}
          className={`${TAB} ${IDLE} gap-1.5 aria-[current=page]:border-accent aria-[current=page]:text-accent aria-[current=page]:[scroll-initial-target:nearest]`}
        >
          {name}
          {count !== undefined && <span className="rounded-md bg-hover px-1.5 text-xs text-muted">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
