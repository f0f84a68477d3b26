// The product's own parsers read the sandbox's rate source, and the source follows its control server.

import { expect, test } from 'vitest';
import type { SourceName } from '@/lib/money/rates/providers/provider';
import { PROVIDERS } from '@/lib/money/rates/sources';
import { isCoin } from '@/lib/networks/coins';
import { minorDigits } from '@/lib/money/currencies';
import { answerOf } from './prices';

const AT = new Date('2026-11-21T10:00:00Z');
const SOURCES = Object.keys(PROVIDERS) as SourceName[];
const told = (source: SourceName, over: { factor?: number; peg?: number } = {}) =>
  PROVIDERS[source].parse(answerOf(source, { factor: 1, peg: 1, at: AT, ...over }), AT);
/** Dollars per unit. */
const dollars = (source: SourceName, currency: string, over = {}): number | null => {
  const found = told(source, over).find((one) => one.currency === currency);
  return found ? (found.per === 'unit' ? Number(found.price) : 1 / Number(found.price)) : null;
};

test.each([
  ['EUR', ['coinbase', 'kraken', 'binance', 'frankfurter', 'er-api']],
  ['GBP', ['coinbase', 'kraken', 'frankfurter', 'er-api']],
  ['JPY', ['coinbase', 'kraken', 'frankfurter', 'er-api']],
  ['CNY', ['coinbase', 'frankfurter', 'er-api']],
  ['KWD', ['coinbase', 'er-api']],
  ['ETH', ['coinbase', 'kraken', 'binance']],
  ['BNB', ['coinbase', 'binance']],
  ['USDT', ['coinbase', 'kraken']],
  ['USDC', ['kraken', 'binance']],
])('%s is quoted by %s, within half a percent of each other', (currency, names) => {
  const found = SOURCES.map((source) => [source, dollars(source, currency)] as const).filter(([, one]) => one !== null);
  expect(found.map(([source]) => source)).toEqual(names);
  const values = found.map(([, one]) => Number(one));
  expect(Math.max(...values) / Math.min(...values)).toBeLessThan(1.005);
});

test.each(SOURCES)('%s quotes active currencies, tokens and coins only, each once', (source) => {
  const codes = told(source).map(({ currency }) => currency);
  expect(new Set(codes).size).toBe(codes.length);
  expect(codes.filter((code) => minorDigits(code) === null && !/^USD[TC]$/.test(code) && !isCoin(code))).toEqual([]);
});

test('a factor changes every price of a dollar by it, and a peg changes only the tokens', () => {
  for (const source of SOURCES) {
    expect(Number(dollars(source, 'EUR', { factor: 1000 })) / Number(dollars(source, 'EUR'))).toBeCloseTo(0.001, 5);
    expect(dollars(source, 'EUR', { peg: 0.9 })).toBe(dollars(source, 'EUR'));
  }
  for (const source of ['coinbase', 'kraken'] as const)
    expect(dollars(source, 'USDT', { peg: 0.9 })).toBeCloseTo(0.9, 2);
});
