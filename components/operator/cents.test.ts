import fc from 'fast-check';
import { expect, test } from 'vitest';
import { centsToText } from '@/lib/money/amounts';
import { centsOf } from './cents';

test('parses every amount as it is displayed', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 16n }), (cents) => {
      expect(centsOf(centsToText(cents))).toBe(cents.toString());
    }),
  );
});

test('accepts grouped thousands, and returns null for text that is not an amount', () => {
  expect(['1,000.50', '1 000.5', ' 12 ', "1'234'567"].map(centsOf)).toEqual(['100050', '100050', '1200', '123456700']);
  expect(['', '-1', '1.234', '1,5', '1e5', 'ten', '0x10', '1.'].map(centsOf)).toEqual(Array(8).fill(null));
});
