// Exact amounts as the operator console shows them. Pure.

import { minorUnitsToText } from '@/lib/money/amounts';

/** Base units as decimal text without needless zeros, but with cents: `12.50`, `0.000001`. */
export function shortAmount(units: bigint, decimals: number): string {
  return shortText(minorUnitsToText(units, decimals));
}

/** The same for decimal text, truncated after `decimals` digits. */
export function shortText(text: string, decimals = Number.POSITIVE_INFINITY): string {
  const [whole = '0', part = ''] = text.split('.');
  return `${whole}.${part.slice(0, decimals).replace(/0+$/, '').padEnd(2, '0')}`;
}
