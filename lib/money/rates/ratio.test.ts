import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalToText, parseDecimal } from '@/lib/money/amounts';
import {
  compare,
  inverse,
  isWithin,
  isWithinBasisPoints,
  mean,
  median,
  multiply,
  ratioOf,
  roundUp,
  type Ratio,
} from './ratio';

const positive = fc.bigInt({ min: 1n, max: 10n ** 30n });
const ratios: fc.Arbitrary<Ratio> = fc.record({ numerator: positive, denominator: positive });
const ratio = (text: string): Ratio => ratioOf(parseDecimal(text) ?? { units: 1n, digits: 0 });

test('a rounded rate is never below the exact one and above it by less than one part in ten billion', () => {
  fc.assert(
    fc.property(ratios, (exact) => {
      const rounded = ratioOf(roundUp(exact, 10));
      expect(compare(rounded, exact)).toBeGreaterThanOrEqual(0);
      // rounded × (10^10 - 10) <= exact × 10^10 bounds the excess by a little more than 10^-9 of ten digits' last place.
      expect(rounded.numerator * exact.denominator * (10n ** 10n - 10n)).toBeLessThanOrEqual(
        exact.numerator * rounded.denominator * 10n ** 10n,
      );
    }),
  );
});

test('a rate that is exact with fewer digits is not changed by rounding', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 9n }), fc.integer({ min: 0, max: 9 }), (units, digits) => {
      expect(decimalToText(roundUp(ratioOf({ units, digits }), 10))).toBe(decimalToText({ units, digits }));
    }),
  );
});

test('the median lies between the smallest and the largest, and half of all are on each side', () => {
  fc.assert(
    fc.property(fc.array(ratios, { minLength: 1, maxLength: 9 }), (all) => {
      const middle = median(all) as Ratio;
      const below = all.filter((one) => compare(one, middle) < 0).length;
      const above = all.filter((one) => compare(one, middle) > 0).length;
      expect(Math.max(below, above)).toBeLessThanOrEqual(all.length / 2);
    }),
  );
  expect(median([])).toBeNull();
});

test('nearness is symmetric and holds up to the exact percentage', () => {
  fc.assert(
    fc.property(ratios, ratios, fc.integer({ min: 1, max: 50 }), (one, other, percent) => {
      expect(isWithin(one, other, percent)).toBe(isWithin(other, one, percent));
    }),
  );
  expect(isWithin(ratio('1'), ratio('1.02'), 2)).toBe(true);
  expect(isWithin(ratio('1'), ratio('1.0200000001'), 2)).toBe(false);
});

test('an inverse of an inverse is the same, and a mean lies in the middle', () => {
  expect(compare(inverse(inverse(ratio('0.8672'))), ratio('0.8672'))).toBe(0);
  expect(compare(mean(ratio('1'), ratio('2')), ratio('1.5'))).toBe(0);
});

test('a product and a mean are exact, and ratios compare by value', () => {
  expect(multiply({ numerator: 2n, denominator: 3n }, { numerator: 5n, denominator: 7n })).toEqual({
    numerator: 10n,
    denominator: 21n,
  });
  expect(mean({ numerator: 1n, denominator: 3n }, { numerator: 1n, denominator: 2n })).toEqual({
    numerator: 5n,
    denominator: 12n,
  });
  const [half, twoQuarters] = [ratio('0.5'), { numerator: 2n, denominator: 4n }];
  expect([compare(half, twoQuarters), compare(half, ratio('0.6')), compare(ratio('0.6'), half)]).toEqual([0, -1, 1]);
});

test('a difference of exactly the basis points is within them, in either order', () => {
  for (const [near, far] of [
    ['1.005', '1.0050001'],
    ['0.9951', '0.995'],
  ] as const) {
    expect(isWithinBasisPoints(ratio('1'), ratio(near), 50)).toBe(true);
    expect(isWithinBasisPoints(ratio(near), ratio('1'), 50)).toBe(true);
    expect(isWithinBasisPoints(ratio('1'), ratio(far), 50)).toBe(false);
    expect(isWithinBasisPoints(ratio(far), ratio('1'), 50)).toBe(false);
  }
});

test('the median of three is the one in the middle, of four the mean of the two there, of one itself', () => {
  const of = (...texts: string[]) => {
    const found = median(texts.map(ratio)) as Ratio;
    return [found.numerator, found.denominator];
  };
  expect(of('3', '1', '2')).toEqual([2n, 1n]);
  expect(of('9', '1', '3', '2')).toEqual([5n, 2n]);
  expect(of('7')).toEqual([7n, 1n]);
});

test('rounding keeps the requested digits, and an integer stays one', () => {
  expect(roundUp({ numerator: 1n, denominator: 3n }, 4)).toEqual({ units: 3334n, digits: 4 });
  expect(roundUp({ numerator: 200n, denominator: 3n }, 4)).toEqual({ units: 6667n, digits: 2 });
  expect(roundUp({ numerator: 1_000_001n, denominator: 1n }, 4)).toEqual({ units: 1_000_001n, digits: 0 });
  expect(roundUp({ numerator: 1n, denominator: 300n }, 4)).toEqual({ units: 3_334n, digits: 6 });
});
