'use client';
// Whether the page's scripts run yet.

import { useSyncExternalStore } from 'react';

/**
 * False during server rendering and until hydration. Until then, controls that need scripts are disabled, and values
 * that only this browser stores are unknown.
 */
export const useIsInBrowser = (): boolean =>
  useSyncExternalStore(
    () => () => undefined,
    () => true,
    () => false,
  );
