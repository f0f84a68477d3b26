'use client';
// Reloads the page's data when the tab is shown again: a merchant who pays a link in another tab comes back to its count.

import { useRouter } from 'next/navigation';
import { useEffect } from 'react';

export function RefreshOnReturn() {
  const router = useRouter();
  useEffect(() => {
    const refresh = (): void => {
      if (document.visibilityState === 'visible') router.refresh();
    };
    document.addEventListener('visibilitychange', refresh);
    return () => document.removeEventListener('visibilitychange', refresh);
  }, [router]);
  return null;
}
