import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sharesOf, type PayerPart } from './shares';

const part = (address: string, remaining: bigint): PayerPart => ({
  network: 'bsc',
  currency: 'USDT',
  address,
  remaining,
});
const shares = (amount: bigint, ...amounts: bigint[]) =>
  sharesOf(
    amount,
    amounts.map((remaining, index) => part(`${index}`, remaining)),
  )?.map(({ address, cents }) => [address, cents]);

test('a full refund gives each payer back exactly what they paid', () => {
  expect(shares(1250n, 1249n, 1n)).toEqual([
    ['0', 1249n],
    ['1', 1n],
  ]);
});

test('a partial refund is split in proportion, and the remaining cents go to the payers who lost most by rounding', () => {
  expect(shares(100n, 1n, 1n, 1n)).toBeUndefined();
  expect(shares(100n, 500n, 500n, 500n)).toEqual([
    ['0', 34n],
    ['1', 33n],
    ['2', 33n],
  ]);
  expect(shares(10n, 100n, 299n)).toEqual([
    ['0', 3n],
    ['1', 7n],
  ]);
});

test('a payer who paid too little for a cent of the refund gets none, and one who got everything back gets nothing more', () => {
  expect(shares(5n, 1249n, 1n)).toEqual([['0', 5n]]);
  expect(shares(5n, 0n, 10n)).toEqual([['1', 5n]]);
});

test('the shares add up to the refund, and none exceeds what its payer can still get back', () => {
  const parts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 12n }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(parts, fc.bigInt({ min: 1n, max: 10n ** 13n }), (amounts, amount) => {
      const all = amounts.reduce((total, remaining) => total + remaining, 0n);
      const made = sharesOf(
        amount,
        amounts.map((remaining, index) => part(`${index}`, remaining)),
      );
      if (made === null) return amount > all;
      const isBounded = made.every(({ cents, remaining }) => cents > 0n && cents <= remaining);
      return isBounded && made.reduce((total, { cents }) => total + cents, 0n) === amount;
    }),
  );
});
