'use client';
// A thin bar while the next page loads, so that a press gets immediate feedback when the server is slow. A page that
// loads within 150 ms shows none. A page opened by a link starts at its top: Next keeps the scroll position while the
// top of the next page is visible.

import { usePathname, useSearchParams } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';

export function Progress() {
  const path = usePathname();
  const here = `${path}?${useSearchParams()}`;
  // The address at the press: a different address means that the page has loaded.
  const [leaving, setLeaving] = useState<string | null>(null);
  const pressedAt = useRef<string | null>(null);
  useEffect(() => {
    const note = (event: MouseEvent) => {
      if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (!link || link.target || link.download || !isPage(link, here)) return;
      setLeaving(here);
      pressedAt.current = path;
    };
    // Before Next's own handler, which prevents the browser's.
    document.addEventListener('click', note, true);
    return () => document.removeEventListener('click', note, true);
  }, [here, path]);
  useEffect(() => {
    if (pressedAt.current !== null && pressedAt.current !== path && window.location.hash === '') window.scrollTo(0, 0);
    pressedAt.current = null;
  }, [path]);
  if (leaving !== here) return null;
  return <div aria-hidden="true" className="fixed inset-x-0 top-0 z-60 h-0.5 origin-left animate-arrive bg-fill" />;
}

/** Whether a link leads to another page of the dashboard, and not within this one. */
const isPage = (link: HTMLAnchorElement, here: string): boolean =>
  link.origin === window.location.origin &&
  `${link.pathname}?${new URLSearchParams(link.search)}` !== here &&
  /^\/(?:dashboard|operator)(?:\/|$)/.test(link.pathname);
