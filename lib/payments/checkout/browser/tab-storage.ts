// What this tab remembers until it is closed, also after a reload. Browsers may refuse storage, for example in a shop's frame:
// then nothing is remembered and nothing fails.

export function readTab(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Null removes the key. */
export function writeTab(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // Only the reload is not covered then.
  }
}
