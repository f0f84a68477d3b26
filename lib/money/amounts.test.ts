import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  baseUnitsToCents,
  centsToBaseUnits,
  centsToText,
  commonToCents,
  convertToCents,
  divideUp,
  isStablecoin,
  decimalToText,
  minorUnitsToText,
  parseDecimal,
  toCommon,
  type Decimal,
  centsAddingUp,
  commonToCentsUp,
} from './amounts';

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
  expect(() => centsToBaseUnits(1n, 1)).toThrow('a token with 1 decimals cannot hold cents');
  expect(() => toCommon(1n, 19)).toThrow('more than 18 decimals are not supported');
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

test.each([
  [1000n, 0, '1000'],
  [0n, 0, '0'],
  [1500n, 3, '1.500'],
  [5n, 3, '0.005'],
  [-5n, 4, '-0.0005'],
])('%s minor units with %i digits read %s', (units, digits, text) => {
  expect(minorUnitsToText(units, digits)).toBe(text);
});

const rates: fc.Arbitrary<Decimal> = fc.record({
  units: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  digits: fc.integer({ min: 0, max: 20 }),
});
const minorDigits = fc.constantFrom(0, 2, 3, 4);

/** The calculation that a merchant makes with the fields of a session. */
function recompute(amount: bigint, digits: number, rate: string): bigint {
  const [whole = '', fraction = ''] = rate.split('.');
  const unit = 10n ** BigInt(digits + fraction.length);
  return (amount * BigInt(whole + fraction) * 100n + unit - 1n) / unit;
}

test('a merchant who multiplies the amount by the rate as text, and rounds up, gets the price to the cent', () => {
  fc.assert(
    fc.property(cents, minorDigits, rates, (amount, digits, rate) => {
      const price = convertToCents({ amount, minorDigits: digits, rate });
      expect(recompute(amount, digits, decimalToText(rate))).toBe(price);
    }),
  );
});

test('a customer pays at least the exact price, less than a cent more, never zero, and a higher price for a higher amount', () => {
  fc.assert(
    fc.property(cents, minorDigits, rates, (amount, digits, rate) => {
      const price = convertToCents({ amount, minorDigits: digits, rate });
      const unit = 10n ** BigInt(digits + rate.digits);
      const exact = amount * rate.units * 100n;
      expect(price * unit).toBeGreaterThanOrEqual(exact);
      expect(price * unit - exact).toBeLessThan(unit);
      expect(price > 0n).toBe(amount > 0n);
      expect(convertToCents({ amount: amount + 1n, minorDigits: digits, rate })).toBeGreaterThanOrEqual(price);
    }),
  );
});

test.each([
  [1000n, 2, '1.1531365314', 1154n],
  [1n, 0, '0.00639', 1n],
  [100n, 0, '0.00639', 64n],
  [1000n, 3, '3.2561', 326n],
  [1000n, 2, '1.15', 1150n],
])('%s minor units with %i digits at %s cost %s cents', (amount, digits, rate, price) => {
  const read = parseDecimal(rate) as Decimal;
  expect(convertToCents({ amount, minorDigits: digits, rate: read })).toBe(price);
});

test('cents of parts add up to the cents of the whole, and no part changes by a cent or more', () => {
  const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 24n }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(amounts, (parts) => {
      const total = commonToCents(parts.reduce((sum, one) => sum + one, 0n));
      const shares = centsAddingUp(parts, total);
      expect(shares.reduce((sum, one) => sum + one, 0n)).toBe(total);
      for (const [n, one] of parts.entries()) expect([commonToCents(one), commonToCentsUp(one)]).toContain(shares[n]);
    }),
  );
});

test('a decimal that is parsed and written is the same number, without an exponent', () => {
  fc.assert(
    fc.property(rates, (rate) => {
      const text = decimalToText(rate);
      expect(text).toMatch(/^\d+(\.\d*[1-9])?$/);
      const again = parseDecimal(text) as Decimal;
      expect(again.units * 10n ** BigInt(rate.digits)).toBe(rate.units * 10n ** BigInt(again.digits));
    }),
  );
});

test.each([
  ['1.0', '1'],
  ['0.8672000', '0.8672'],
  ['8.95e4', '89500'],
  ['1.2E-05', '0.000012'],
  ['007.50', '7.5'],
  ['0', '0'],
])('%s is %s', (text, plain) => {
  expect(decimalToText(parseDecimal(text) as Decimal)).toBe(plain);
});

test.each(['', '.', '1.', '.5', '-1', '+1', '1,5', ' 1', '1e', '1e100', 'NaN', 'Infinity', '0x1', '١', '9'.repeat(25)])(
  '%j is no decimal',
  (text) => {
    expect(parseDecimal(text)).toBeNull();
  },
);

test('a decimal has at most 24 digits before the point, 40 after it and two in its exponent', () => {
  const read = (text: string) => parseDecimal(text) !== null;
  expect([read('9'.repeat(24)), read('9'.repeat(25))]).toEqual([true, false]);
  expect([read(`0.${'9'.repeat(40)}`), read(`0.${'9'.repeat(41)}`)]).toEqual([true, false]);
  expect([read('1e99'), read('1e-99'), read('1e+99'), read('1e100')]).toEqual([true, true, true, false]);
  expect(parseDecimal('1.5e+2')).toEqual({ units: 150n, digits: 0 });
  expect(parseDecimal('1.25e1')).toEqual({ units: 125n, digits: 1 });
});

test('cents that are missing go to the amounts that lost most, the first among equals, one each', () => {
  const cent = 10n ** 16n;
  const of = (...hundredths: bigint[]) => hundredths.map((one) => (one * cent) / 100n);
  expect(centsAddingUp(of(150n, 170n, 160n), 4n)).toEqual([1n, 2n, 1n]);
  expect(centsAddingUp(of(150n, 170n, 160n), 5n)).toEqual([1n, 2n, 2n]);
  expect(centsAddingUp(of(150n, 150n, 150n), 4n)).toEqual([2n, 1n, 1n]);
  // Not to the largest amount, which lost less.
  expect(centsAddingUp(of(950n, 170n, 160n), 12n)).toEqual([9n, 2n, 1n]);
  // A total below the rounded sum takes nothing away: each part is what is surely there.
  expect(centsAddingUp(of(150n, 170n), 1n)).toEqual([1n, 1n]);
  expect(centsAddingUp([], 0n)).toEqual([]);
});

test('a quotient is rounded up only when it is not exact', () => {
  expect([divideUp(0n, 7n), divideUp(6n, 3n), divideUp(7n, 3n), divideUp(1n, 3n)]).toEqual([0n, 2n, 3n, 1n]);
  expect([commonToCentsUp(10n ** 16n), commonToCentsUp(10n ** 16n + 1n), commonToCentsUp(0n)]).toEqual([1n, 2n, 0n]);
});

test('exactly USDT and USDC are settled one for one with the dollar', () => {
  expect(['USDT', 'USDC', 'USD', 'usdt', 'DAI', ''].filter(isStablecoin)).toEqual(['USDT', 'USDC']);
});
