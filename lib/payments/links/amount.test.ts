// A typed amount is parsed exactly or refused, and never rounded.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CURRENCY_CODES } from '@/lib/money/currencies';
import { STABLECOINS } from '@/lib/money/amounts';
import { LOCALES } from '@/lib/i18n/locales';
import { amountText, currencyDigits, decimalSign, LARGEST_UNITS, readTypedAmount } from './amount';

const free = { least: null, most: null, locale: 'en' } as const;
const currencies = fc.constantFrom(...CURRENCY_CODES, ...STABLECOINS);
const units = fc.bigInt({ min: 1n, max: LARGEST_UNITS });

const locales = fc.constantFrom(...LOCALES);

test('every possible amount is parsed back from its localized text without grouping', () => {
  fc.assert(
    fc.property(currencies, units, locales, (currency, amount, locale) => {
      const typed = amountText(amount, currency).replace('.', decimalSign(locale));
      expect(readTypedAmount(` ${typed} `, { currency, ...free, locale })).toEqual({ units: amount });
      const arabic = amountText(amount, currency).replace('.', '٫');
      expect(readTypedAmount(arabic, { currency, ...free, locale })).toEqual({ units: amount });
    }),
  );
});

test('an amount with the other sign has one reading, or both readings are offered and each can be typed', () => {
  fc.assert(
    fc.property(currencies, units, locales, fc.constantFrom('.', ','), (currency, amount, locale, sign) => {
      const typed = amountText(amount, currency).replace('.', sign);
      const read = readTypedAmount(typed, { currency, ...free, locale });
      const group = /^[1-9]\d{0,2}[.,]\d{3}$/.test(typed) && sign !== decimalSign(locale);
      if (!group) {
        expect(read).toEqual({ units: amount });
        return;
      }
      expect(read).toMatchObject({ fault: 'ambiguous' });
      if (!('readings' in read)) return;
      const [small, large] = read.readings.map((text) => readTypedAmount(text, { currency, ...free, locale }));
      expect(small).toEqual({ units: amount });
      expect(large).toEqual({ units: amount * 1000n });
    }),
  );
});

test('digits of other scripts have the same value', () => {
  fc.assert(
    fc.property(units, fc.constantFrom(0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10), (amount, nought) => {
      const typed = amountText(amount, 'EUR').replaceAll(/\d/g, (digit) =>
        String.fromCodePoint(nought + Number(digit)),
      );
      expect(readTypedAmount(typed, { currency: 'EUR', ...free })).toEqual({ units: amount });
    }),
  );
});

test('no text is misread, and none causes an error', () => {
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

test('an amount is accepted exactly when it is within the limits of its link', () => {
  fc.assert(
    fc.property(units, units, units, (amount, one, other) => {
      const [least, most] = one < other ? [one, other] : [other, one];
      const read = readTypedAmount(amountText(amount, 'USD'), { currency: 'USD', least, most, locale: 'en' });
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
  ['1.000', 'KWD', 1000n],
  ['1,00', 'KWD', 1000n],
  ['0,500', 'KWD', 500n],
  ['1000,500', 'KWD', 1_000_500n],
  ['1200', 'JPY', 1200n],
  ['0012.30', 'USDC', 1230n],
  ['١٢٫٣٤', 'EUR', 1234n],
] as const)('%j in %s is %s', (typed, currency, amount) => {
  expect(readTypedAmount(typed, { currency, ...free })).toEqual({ units: amount });
});

test.each([
  ['1,000', 'KWD', 'en', ['1.000', '1000']],
  ['1.000', 'KWD', 'de', ['1,000', '1000']],
  ['12,345', 'CLF', 'en', ['12.345', '12345']],
  ['1.000', 'KWD', null, ['1.000', '1000']],
] as const)('%j in %s typed in %s has two readings', (typed, currency, locale, readings) => {
  expect(readTypedAmount(typed, { currency, ...free, locale })).toEqual({ fault: 'ambiguous', readings });
});
