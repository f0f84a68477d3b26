// Amounts that people type, read as decimal text, never as a number.

/** A typed amount as decimal text with two digits; null if it is no amount. */
export function amountOf(text: string): string | null {
  const cents = centsOf(text);
  return cents === null ? null : (cents / 100).toFixed(2);
}

/** Whole cents of decimal text with a point or a comma; null if it is no amount. */
export function centsOf(text: string): number | null {
  const found = /^(\d{1,12})(?:[.,](\d{1,2}))?$/.exec(text.trim());
  return found ? Number(`${found[1]}${(found[2] ?? '').padEnd(2, '0')}`) : null;
}
