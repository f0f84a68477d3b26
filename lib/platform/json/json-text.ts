// Writes JSON values as text. A number is written exactly as it was read (lib/platform/json/json), so a merchant's input is
// stored and shown without rounding. Pure.

import { JsonNumber, type JsonValue } from './json';

/** Compact JSON text of a value. Keys keep their order. */
export const jsonText = (value: JsonValue): string => write(value, (keys) => keys);

/** Text that is the same for every order of keys, so that two values can be compared by it. */
export const canonicalJson = (value: JsonValue): string => write(value, (keys) => keys.toSorted());

/** Whether any JSON reader holds every number of a value exactly: none is larger than 2^53 - 1 on either side of zero. */
export function hasOnlyCommonNumbers(value: JsonValue): boolean {
  if (value === null || typeof value !== 'object') return true;
  if (value instanceof JsonNumber) return Math.abs(Number(value.text)) <= Number.MAX_SAFE_INTEGER;
  return (Array.isArray(value) ? value : Object.values(value)).every(hasOnlyCommonNumbers);
}

function write(value: JsonValue, order: (keys: string[]) => string[]): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map((one) => write(one, order)).join(',')}]`;
  const keys = order(Object.keys(value));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${write(value[key] as JsonValue, order)}`).join(',')}}`;
}
