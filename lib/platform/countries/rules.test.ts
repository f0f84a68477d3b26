// The texts of country rules, what they allow, and the countries that they name.

import { expect, test } from 'vitest';
import { COUNTRIES, GROUPS, isPlace } from './countries';
import { countryRulesText, isTokenAllowed, parseCountryRules } from './rules';

const EU_27 = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK';

test('the countries are the regions that the CLDR names, without those that ISO has not assigned', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const named = letters
    .flatMap((one) => letters.map((other) => `${one}${other}`))
    // A former code is replaced by its country, such as UK by GB.
    .filter((code) => new Intl.Locale(`und-${code}`).region === code && names.of(code) !== undefined);
  // Exceptional reservations and codes of the CLDR's own, such as Kosovo and the European Union.
  const unassigned = ['AC', 'CP', 'CQ', 'DG', 'EA', 'EU', 'EZ', 'IC', 'QO', 'TA', 'UN', 'XA', 'XB', 'XK', 'ZZ'];
  expect([...COUNTRIES].toSorted()).toEqual(named.filter((code) => !unassigned.includes(code)));
  expect(COUNTRIES.size).toBe(249);
});

test('the EEA has the 27 states of the EU and three others, no neighbour of it, and assigned codes only', () => {
  for (const code of [...EU_27.split(' '), 'IS', 'LI', 'NO']) expect(GROUPS.EEA?.has(code)).toBe(true);
  for (const code of ['CH', 'GB', 'SJ', 'TR', 'UA']) expect(GROUPS.EEA?.has(code)).toBe(false);
  expect([...(GROUPS.EEA ?? [])].filter((code) => !COUNTRIES.has(code))).toEqual([]);
});

test('a text is read, and written so that it reads the same', () => {
  const rules = parseCountryRules(' EEA, CH,unknown=USDC ;KP = none; US = USDC USDT;');
  expect(rules).toEqual([
    { places: ['EEA', 'CH', 'unknown'], tokens: ['USDC'] },
    { places: ['KP'], tokens: [] },
    { places: ['US'], tokens: ['USDC', 'USDT'] },
  ]);
  expect(parseCountryRules(countryRulesText(rules ?? []))).toEqual(rules);
  expect(parseCountryRules('')).toEqual([]);
});

test.each([
  'UK = USDC',
  'EU = USDC',
  'de = USDC',
  'DE = EURC',
  'DE =',
  '= USDC',
  'DE',
  'DE = USDC = USDT',
  'DE = none USDC',
])('the text %s is refused', (text) => expect(parseCountryRules(text)).toBeNull());

test.each([
  ['DE', { USDT: false, USDC: true }],
  ['CH', { USDT: true, USDC: true }],
  [null, { USDT: false, USDC: true }],
  ['KP', { USDT: false, USDC: false }],
] as const)('customers in %s may be offered what each rule for them allows', (country, allowed) => {
  const rules = parseCountryRules('EEA unknown = USDC; DE = USDT USDC; KP = none') ?? [];
  for (const [token, expected] of Object.entries(allowed))
    expect([token, isTokenAllowed(rules, country, token)]).toEqual([token, expected]);
});

test.each([
  ['DE', true],
  ['EEA', true],
  ['unknown', true],
  ['toString', false],
  ['', false],
])('the place %s: %s', (place, expected) => expect(isPlace(place)).toBe(expected));
