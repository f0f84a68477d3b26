'use client';
// What this browser remembers of the till: its currency, and whether it is silent. A browser that keeps nothing has the same till
// with what it begins with.

import { useCallback, useSyncExternalStore } from 'react';

/** A text by its name, and how it is changed; `otherwise` while nothing is kept, and while the server draws. */
export function useRemembered(name: string, otherwise: string): readonly [string, (text: string) => void] {
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
        // A browser that was told to keep nothing refuses; the event below would find nothing new.
        return;
      }
      window.dispatchEvent(new Event(CHANGED));
    },
    [key],
  );
  return [value, change];
}

/** Of this page's own; `storage` tells other tabs only. */
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
