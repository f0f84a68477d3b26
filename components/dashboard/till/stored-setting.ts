'use client';
// The till settings that this browser keeps: the currency, and whether the till is silent. A browser without storage
// has the same till with defaults.

import { useCallback, useSyncExternalStore } from 'react';

/** A text by its name, and its setter; `otherwise` while nothing is stored, and during server rendering. */
export function useStoredSetting(name: string, otherwise: string): readonly [string, (text: string) => void] {
  const key = `till-${name}`;
  const value = useSyncExternalStore(
    subscribe,
    () => read(key) ?? otherwise,
    () => otherwise,
  );
  const change = useCallback(
    (text: string) => {
      try {
        window.localStorage.setItem(key, text);
      } catch {
        // A browser that blocks storage refuses; the event below would have no effect.
        return;
      }
      window.dispatchEvent(new Event(CHANGED));
    },
    [key],
  );
  return [value, change];
}

/** This page's own event; the `storage` event reaches other tabs only. */
const CHANGED = 'till-remembered';

function subscribe(onChange: () => void): () => void {
  window.addEventListener(CHANGED, onChange);
  window.addEventListener('storage', onChange);
  return () => {
    window.removeEventListener(CHANGED, onChange);
    window.removeEventListener('storage', onChange);
  };
}

function read(key: string): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}
