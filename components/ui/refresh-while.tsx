'use client';
// Reloads the page's data every few seconds while its content is in progress and the tab is visible.

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

const SECONDS = 4;

export function RefreshWhile({ isGoingOn }: { isGoingOn: boolean }) {
  const router = useRouter();
  useEffect(() => {
    if (!isGoingOn) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') router.refresh();
    }, SECONDS * 1000);
    return () => clearInterval(timer);
  }, [isGoingOn, router]);
  return null;
}
