// Responses in `documented/` follow the documentation of the sources, cut to a few currencies.

import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { minorDigits } from '@/lib/money/currencies';
import { isStablecoin, parseDecimal } from '@/lib/money/amounts';
import { PROVIDERS } from '@/lib/money/rates/sources';
import { InvalidResponse, type Reading, type SourceName } from './provider';

const AT = new Date('2026-11-21T10:00:00Z');
const NAMES = Object.keys(PROVIDERS) as SourceName[];
/** The format of the sources: without line ends and spaces. */
const documented = (source: SourceName): string =>
  fs
    .readFileSync(path.join(import.meta.dirname, 'documented', `${source}.json`), 'utf8')
    .replace(/\n\s*/g, '')
    .replace(/([":,]) (?=["{[\d])/g, '$1');
/** The same with one part replaced. */
function altered(source: SourceName, from: string, to: string): string {
  const text = documented(source);
  if (!text.includes(from)) throw new Error(`${source} does not say ${from}`);
  return text.replace(from, to);
}
const prices = (readings: readonly Reading[]) =>
  Object.fromEntries(readings.map(({ currency, price, per }) => [currency, `${price} per ${per}`]));
const read = (source: SourceName, text = documented(source)) => PROVIDERS[source].parse(text, AT);

test('Coinbase quotes units for a dollar, including USDT, and its pegged USDC is ignored', () => {
  expect(prices(read('coinbase'))).toEqual({
    ...{ AED: '3.6725 per dollar', CNY: '7.1184 per dollar', EUR: '0.8612 per dollar', GBP: '0.7543 per dollar' },
    ...{ JPY: '156.2 per dollar', KWD: '0.30712 per dollar', USDT: '1.00035 per dollar' },
    ...{ ETH: '0.0004 per dollar', SOL: '0.0066666666666667 per dollar' },
  });
});

test('Kraken quotes the middle of each book by either name, and none for a book that is too wide', () => {
  expect(prices(read('kraken'))).toEqual({
    ...{ USDT: '1.00005 per unit', USDC: '0.99985 per unit', EUR: '1.1612 per unit', JPY: '156.2 per dollar' },
    ...{ ETH: '2500.15 per unit', SOL: '150.01 per unit' },
  });
});

test('Binance quotes prices against USDT', () => {
  expect(prices(read('binance'))).toEqual({
    ...{ USDC: '1.0001 per unit', EUR: '1.1612 per unit', ETH: '2501.37 per unit', TRX: '0.3201 per unit' },
  });
});

test('Frankfurter quotes the bank’s fixing of a day', () => {
  const readings = read('frankfurter');
  expect(prices(readings)).toMatchObject({
    EUR: '0.867 per dollar',
    IDR: '16712 per dollar',
    JPY: '158.95 per dollar',
  });
  expect(new Set(readings.map(({ sourceTime }) => sourceTime.toISOString()))).toEqual(
    new Set(['2026-11-20T13:15:00.000Z']),
  );
});

test('ExchangeRate-API quotes ISO 4217 currencies in any number notation, at its reported time', () => {
  const readings = read('er-api');
  expect(prices(readings)).toEqual({
    ...{ AED: '3.6725 per dollar', EUR: '0.867 per dollar', IRR: '42011.55 per dollar', KWD: '0.30709 per dollar' },
    LBP: '89500 per dollar',
  });
  expect(readings[0]?.sourceTime).toEqual(new Date(1_795_132_951_000));
});

test.each(['coinbase', 'kraken', 'binance'] as const)(
  '%s reports no time, so its prices have the time of the response',
  (source) => {
    expect(read(source).every(({ sourceTime }) => sourceTime === AT)).toBe(true);
  },
);

describe('a malformed response is rejected completely', () => {
  const cases: [SourceName, string, string][] = [
    ['coinbase', 'another base', altered('coinbase', '"currency":"USD"', '"currency":"EUR"')],
    ['kraken', 'an error with status 200', '{"error":["EQuery:Unknown asset pair"]}'],
    ['kraken', 'an error beside results', altered('kraken', '"error":[]', '"error":["EService:Busy"]')],
    ['binance', 'an error object', '{"code":-1121,"msg":"Invalid symbol."}'],
    ['binance', 'other symbols', '[{"symbol":"BTCUSDT","price":"92000.1"}]'],
    ['binance', 'a currency twice', altered('binance', '[', '[{"symbol":"EURUSDT","price":"1.1"},')],
    ['frankfurter', 'another base', altered('frankfurter', '"base":"USD"', '"base":"EUR"')],
    ['frankfurter', 'another amount', altered('frankfurter', '"amount":1.0', '"amount":10.0')],
    ['frankfurter', 'no date', altered('frankfurter', '2026-11-20', '2026-13-20')],
    ['er-api', 'an error', '{"result":"error","error-type":"quota-reached"}'],
    ['er-api', 'another base', altered('er-api', '"base_code":"USD"', '"base_code":"EUR"')],
    ['er-api', 'no time', altered('er-api', '1795132951', '"yesterday"')],
    ['er-api', 'a time beyond all calendars', altered('er-api', '1795132951', '9007199254740991')],
    ...NAMES.flatMap((source): [SourceName, string, string][] => [
      [source, 'nothing', ''],
      [source, 'a page', '<html>Service unavailable</html>'],
      [source, 'half of itself', documented(source).slice(0, documented(source).length / 2)],
      [source, 'null', 'null'],
    ]),
  ];
  test.each(cases)('%s: %s', (source, _, text) => {
    expect(() => read(source, text)).toThrow(InvalidResponse);
  });
});

test.each([
  '"0"',
  '"0.000"',
  '"-0.86"',
  '"NaN"',
  '"Infinity"',
  '""',
  '"0,86"',
  '" 0.86"',
  '"1e99"',
  '"0x1"',
  '"1e-12"',
])('a price of %s is ignored, and the other currencies keep theirs', (price) => {
  const found = prices(read('coinbase', altered('coinbase', '"EUR":"0.8612"', `"EUR":${price}`)));
  expect(found.EUR).toBeUndefined();
  expect(found.GBP).toBe('0.7543 per dollar');
});

test.each(['null', 'true', '"0.867"', '-0.867', '0', '[]'])('a number written as %s gives no euro price', (price) => {
  const text = altered('er-api', '"EUR":0.867', `"EUR":${price}`);
  let found: Reading[] = [];
  try {
    found = [...read('er-api', text)];
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidResponse);
  }
  expect(found.find(({ currency }) => currency === 'EUR')).toBeUndefined();
});

test('for any response, a reading is a positive exact decimal of a converted currency', () => {
  const value = fc.oneof(fc.double(), fc.string(), fc.integer(), fc.constant(null), fc.constant('0.8'));
  const rates = fc.dictionary(fc.constantFrom('EUR', 'JPY', 'USD', 'XXX', 'BTC', '__proto', 'USDT'), value);
  fc.assert(
    fc.property(rates, fc.constantFrom(...NAMES), (some, source) => {
      const texts: Record<SourceName, unknown> = {
        coinbase: { data: { currency: 'USD', rates: some } },
        kraken: { error: [], result: some },
        binance: Object.entries(some).map(([symbol, price]) => ({ symbol: `${symbol}USDT`, price })),
        frankfurter: { amount: 1, base: 'USD', date: '2026-11-20', rates: some },
        'er-api': { result: 'success', base_code: 'USD', time_last_update_unix: 1, rates: some },
      };
      let readings: readonly Reading[] = [];
      try {
        readings = read(source, JSON.stringify(texts[source]));
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidResponse);
      }
      for (const { currency, price } of readings) {
        expect(minorDigits(currency) !== null || isStablecoin(currency)).toBe(true);
        expect(currency).not.toBe('USD');
        expect(price).toMatch(/^\d+(\.\d+)?$/);
        expect(parseDecimal(price)?.units).toBeGreaterThan(0n);
      }
    }),
  );
});
