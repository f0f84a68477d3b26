// Rules that say which tokens customers of a country may be offered, as the text of a setting and of a store:
// `EEA unknown = USDC; KP = none`. Every rule that names the customer's place must allow a token, so more rules only make it stricter.

import { GROUPS, isPlace, UNKNOWN_COUNTRY } from './countries';

const TOKENS = ['USDT', 'USDC'];
/** Of one text. */
const [MAX_RULES, MAX_LENGTH] = [50, 5000];
const NO_TOKEN = 'none';

/** `places`: countries, groups, or `unknown` (countries.ts). No token: customers there cannot pay. */
export type CountryRule = { readonly places: readonly string[]; readonly tokens: readonly string[] };

/** Null for a text that is not of rules. */
export function parseCountryRules(text: string): readonly CountryRule[] | null {
  const lines = text.split(';').filter((line) => line.trim() !== '');
  if (text.length > MAX_LENGTH || lines.length > MAX_RULES) return null;
  const rules = lines.map(parseRule);
  return rules.every((rule) => rule !== null) ? rules : null;
}

function parseRule(line: string): CountryRule | null {
  const [left = '', right = '', ...more] = line.split('=');
  const [places, tokens] = [wordsOf(left), wordsOf(right)];
  const isNone = tokens.length === 1 && tokens[0] === NO_TOKEN;
  if (more.length > 0 || places.length === 0 || tokens.length === 0 || !places.every(isPlace)) return null;
  if (!isNone && !tokens.every((token) => TOKENS.includes(token))) return null;
  return { places, tokens: isNone ? [] : tokens };
}

const wordsOf = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter((word) => word !== ''))];

/** The text that reads as these rules. It may be longer than parseCountryRules accepts. */
export const countryRulesText = (rules: readonly CountryRule[]): string =>
  rules
    .map(({ places, tokens }) => `${places.join(' ')} = ${tokens.length === 0 ? NO_TOKEN : tokens.join(' ')}`)
    .join('; ');

/** Whether the rules allow a token for customers of a country; null where the country is not known. */
export function isTokenAllowed(rules: readonly CountryRule[], country: string | null, token: string): boolean {
  const place = country ?? UNKNOWN_COUNTRY;
  return rules
    .filter(({ places }) => places.some((one) => one === place || (GROUPS[one]?.has(place) ?? false)))
    .every(({ tokens }) => tokens.includes(token));
}
