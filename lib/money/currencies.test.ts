import { expect, test } from 'vitest';
import { CURRENCY_CODES, minorDigits } from './currencies';

test('the list is that of ISO 4217: 165 active codes with a minor unit, each once', () => {
  expect(CURRENCY_CODES).toHaveLength(165);
  expect(new Set(CURRENCY_CODES).size).toBe(165);
  expect(CURRENCY_CODES.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
});

test.each([
  ...[
    ['JPY', 0],
    ['KRW', 0],
    ['CLP', 0],
    ['XOF', 0],
    ['UYI', 0],
  ],
  ...[
    ['USD', 2],
    ['EUR', 2],
    ['GBP', 2],
    ['CNY', 2],
    ['HUF', 2],
    ['IDR', 2],
    ['LBP', 2],
    ['SLE', 2],
    ['XCG', 2],
    ['ZWG', 2],
  ],
  ...[
    ['KWD', 3],
    ['BHD', 3],
    ['IQD', 3],
    ['TND', 3],
  ],
  ...[
    ['CLF', 4],
    ['UYW', 4],
  ],
] as const)('%s has %i minor digits', (code, digits) => {
  expect(minorDigits(code)).toBe(digits);
});

test.each(['XXX', 'XTS', 'XAU', 'XDR', 'BTC', 'USDT', 'HRK', 'BGN', 'ANG', 'SLL', 'ZWL', 'CUC', 'usd', '', 'UЅD'])(
  '%j is not a currency',
  (code) => {
    expect(minorDigits(code)).toBeNull();
  },
);
