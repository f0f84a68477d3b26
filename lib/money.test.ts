import fc from 'fast-check';
import { expect, test } from 'vitest';
import { baseUnitsToCents, centsToBaseUnits, centsToText, commonToCents, toCommon } from './money';

const cents = fc.bigInt({ min: 0n, max: 10n ** 15n });
const decimals = fc.integer({ min: 2, max: 18 });

test('cents become base units and cents again without loss, whatever the decimals', () => {
  fc.assert(
    fc.property(cents, decimals, (amount, digits) => {
      expect(baseUnitsToCents(centsToBaseUnits(amount, digits), digits)).toBe(amount);
      expect(commonToCents(toCommon(centsToBaseUnits(amount, digits), digits))).toBe(amount);
    }),
  );
});

test('a fraction of a cent never counts as one, and is never lost in a sum', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 1n, max: 10n ** 9n }), { maxLength: 20 }), (parts) => {
      const sum = parts.reduce((total, part) => total + toCommon(part, 6), 0n);
      expect(commonToCents(sum)).toBe(parts.reduce((total, part) => total + part, 0n) / 10n ** 4n);
    }),
  );
});

test('decimals that would lose cents or exceed the common precision are refused', () => {
  expect(() => centsToBaseUnits(1n, 1)).toThrow(RangeError);
  expect(() => toCommon(1n, 19)).toThrow(RangeError);
});

test.each([
  [0n, '0.00'],
  [5n, '0.05'],
  [1250n, '12.50'],
  [-1n, '-0.01'],
  [10n ** 15n, '10000000000000.00'],
])('%s cents read %s', (amount, text) => {
  expect(centsToText(amount)).toBe(text);
});
