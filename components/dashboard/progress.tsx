'use client';
// A thin bar while the next page is on its way, so that a press is answered at once also where the server takes a moment. What is
// there within 150 ms shows none.

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useState } from 'react';

export function Progress() {
  const here = `${usePathname()}?${useSearchParams()}`;
  // Where the press was made: another address means that the page has come.
  const [leaving, setLeaving] = useState<string | null>(null);
  useEffect(() => {
    const note = (event: MouseEvent) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link && !link.target && !link.download && isPage(link, here)) setLeaving(here);
    };
    // Before Next's own handler, which prevents the browser's.
    document.addEventListener('click', note, true);
    return () => document.removeEventListener('click', note, true);
  }, [here]);
  if (leaving !== here) return null;
  return <div aria-hidden="true" className="fixed inset-x-0 top-0 z-60 h-0.5 origin-left animate-arrive bg-fill" />;
}

/** Whether a link leads to another page of the dashboard, and not within this one. */
const isPage = (link: HTMLAnchorElement, here: string): boolean =>
  link.origin === window.location.origin &&
  `${link.pathname}?${new URLSearchParams(link.search)}` !== here &&
  /^\/(?:dashboard|operator)(?:\/|$)/.test(link.pathname);
