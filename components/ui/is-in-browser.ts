'use client';
// Whether the page's scripts run yet.

import { useSyncExternalStore } from 'react';

/**
 * False while the server draws and until the browser has taken the page over: what needs scripts is not to be used before, and
 * what only this browser remembers is not known before.
 */
export const useIsInBrowser = (): boolean =>
  useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
