// The demo shop's texts, from the sandbox's own catalogue, and its format of amounts and times.

import { centsToText } from '@/lib/money/amounts';
import catalogue from '../messages/en.json';

export type TextKey = keyof typeof catalogue;

const LOCALE = 'en';
const clockTime = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' });

/** A text of the catalogue with its `{names}` replaced. */
export function text(key: TextKey, values: Readonly<Record<string, string>> = {}): string {
  return catalogue[key].replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** The text of a key that is composed at run time, or the raw name when the catalogue has none. */
export function textFor(prefix: 'network' | 'order.status', name: string): string {
  const key = `${prefix}.${name}`;
  return key in catalogue ? catalogue[key as TextKey] : name;
}

/** An amount of cents in a currency with two digits, as people read it. */
export function price(cents: bigint, currency: string): string {
  const format = new Intl.NumberFormat(LOCALE, { style: 'currency', currency });
  return format.format(centsToText(cents) as Intl.StringNumericLiteral);
}

export const timeOfDay = (milliseconds: number): string => clockTime.format(milliseconds);
