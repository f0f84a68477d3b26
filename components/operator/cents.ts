// Amounts as operators type them, and cents as requests carry them. Exact: no floating point. Pure.

/** Cents of `1000`, `1000.5` or `1,000.50`; null for anything else, and for an empty text. */
export function centsOf(text: string): string | null {
  const plain = text.trim().replaceAll(/(?<=\d)[,\u00a0 '](?=\d{3}(?:\D|$))/g, '');
  const [, whole, part = ''] = /^(\d{1,15})(?:\.(\d{1,2}))?$/.exec(plain) ?? [];
  if (whole === undefined) return null;
  return BigInt(`${whole}${part.padEnd(2, '0')}`).toString();
}
