// What a customer types is read exactly as it was meant, or refused; nothing is ever rounded.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CURRENCY_CODES } from '@/lib/currencies';
import { STABLECOINS } from '@/lib/money';
import { amountText, currencyDigits, LARGEST_UNITS, readTypedAmount } from './amount';

const free = { least: null, most: null };
const currencies = fc.constantFrom(...CURRENCY_CODES, ...STABLECOINS);
const units = fc.bigInt({ min: 1n, max: LARGEST_UNITS });

test('every amount that can be asked for is read back as it was written, with a point or a comma', () => {
  fc.assert(
    fc.property(currencies, units, fc.constantFrom('.', ',', '٫'), (currency, amount, sign) => {
      const typed = amountText(amount, currency).replace('.', sign);
      expect(readTypedAmount(` ${typed} `, { currency, ...free })).toEqual({ units: amount });
    }),
  );
});

test('digits of other scripts mean the same', () => {
  fc.assert(
    fc.property(units, fc.constantFrom(0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10), (amount, nought) => {
      const typed = amountText(amount, 'EUR').replaceAll(/\d/g, (digit) =>
        String.fromCodePoint(nought + Number(digit)),
      );
      expect(readTypedAmount(typed, { currency: 'EUR', ...free })).toEqual({ units: amount });
    }),
  );
});

test('no text is read as more or less than it says, and none makes it fail', () => {
  const texts = fc.oneof(fc.string(), fc.stringMatching(/^[\d., ]{0,30}$/));
  fc.assert(
    fc.property(texts, currencies, (typed, currency) => {
      const read = readTypedAmount(typed, { currency, ...free });
      if ('fault' in read) return;
      const [whole = '', decimals = ''] = typed.trim().split(/[.,]/);
      const digits = currencyDigits(currency);
      expect(decimals.length).toBeLessThanOrEqual(digits);
      expect(read.units).toBe(BigInt(whole) * 10n ** BigInt(digits) + BigInt(decimals.padEnd(digits, '0') || '0'));
    }),
  );
});

test('an amount is taken exactly when it lies within the limits of its link', () => {
  fc.assert(
    fc.property(units, units, units, (amount, one, other) => {
      const [least, most] = one < other ? [one, other] : [other, one];
      const read = readTypedAmount(amountText(amount, 'USD'), { currency: 'USD', least, most });
      if (amount < least) expect(read).toEqual({ fault: 'too_small' });
      else if (amount > most) expect(read).toEqual({ fault: 'too_large' });
      else expect(read).toEqual({ units: amount });
    }),
  );
});

test.each([
  ['', 'USD', 'empty'],
  ['   ', 'USD', 'empty'],
  ['twelve', 'USD', 'unreadable'],
  ['-1', 'USD', 'unreadable'],
  ['1e3', 'USD', 'unreadable'],
  ['1.000.000', 'USD', 'unreadable'],
  ['1,000.00', 'USD', 'unreadable'],
  ['.5', 'USD', 'unreadable'],
  ['9'.repeat(60), 'USD', 'unreadable'],
  ['1,000', 'USD', 'many_decimals'],
  ['12.5', 'JPY', 'many_decimals'],
  ['0', 'USD', 'too_small'],
  ['0.00', 'USDT', 'too_small'],
  ['10000000000000.01', 'USD', 'too_large'],
] as const)('%j in %s is refused: %s', (typed, currency, fault) => {
  expect(readTypedAmount(typed, { currency, ...free })).toEqual({ fault });
});

test.each([
  ['12', 'USD', 1200n],
  ['12,', 'USD', 1200n],
  ['12,5', 'EUR', 1250n],
  ['1,000', 'KWD', 1000n],
  ['1200', 'JPY', 1200n],
  ['0012.30', 'USDC', 1230n],
  ['١٢٫٣٤', 'EUR', 1234n],
] as const)('%j in %s is %s', (typed, currency, amount) => {
  expect(readTypedAmount(typed, { currency, ...free })).toEqual({ units: amount });
});
