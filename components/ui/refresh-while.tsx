'use client';
// Reads the page anew every few seconds while what it shows is still going on, and nobody looks elsewhere.

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
