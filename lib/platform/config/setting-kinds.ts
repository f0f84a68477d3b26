// The kinds of values that several settings have.

import { z } from 'zod';
import { parseCountryRules } from '@/lib/platform/countries/rules';

/** The names of this machine in a URL. */
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Entries separated by spaces, commas or lines. */
export const parts = (text: string): string[] => text.split(/[\s,]+/).filter((part) => part.length > 0);
export const list = z.string().default('').transform(parts);
export const flag = (otherwise: 'on' | 'off') =>
  z
    .enum(['on', 'off'])
    .default(otherwise)
    .transform((value) => value === 'on');
export const count = (otherwise: number, least: number, most: number) =>
  z.coerce.number().int().min(least).max(most).default(otherwise);

/** Rules by the customer's country. */
export const countryRules = z
  .string()
  .default('')
  .transform((text, context) => {
    const rules = parseCountryRules(text);
    if (rules !== null) return rules;
    context.addIssue({ code: 'custom', message: 'must be rules such as "EEA unknown = USDC; KP = none"' });
    return z.NEVER;
  });

/** Allows https to any host and plain http only to this machine. */
export const isSafe = (address: string): boolean => {
  const url = URL.canParse(address) ? new URL(address) : null;
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
};

/** An origin without a path. Plain http is allowed only for this machine. */
export const origin = z.string().transform((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url &&
    url.origin === text &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname)))
  ) {
    return text;
  }
  context.addIssue({
    code: 'custom',
    message: 'must be an https origin without a path or last slash, like https://pay.example',
  });
  return z.NEVER;
});
