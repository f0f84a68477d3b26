// Values that this tab keeps until it is closed, also over a reload. Browsers may refuse storage, for example in a shop's frame. Then
// nothing is stored and nothing fails.

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
    // The value is then lost on a reload.
  }
}
