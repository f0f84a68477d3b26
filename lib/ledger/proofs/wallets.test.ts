import { expect, it } from 'vitest';
import { amountsAt, type Reading } from './wallets';

const reading = (from: number, through: number, amount: bigint): Reading => ({
  ...{ from, through },
  amounts: new Map([['USDT', { refund_wallet: amount }]]),
});

it.each([
  ['the last block of the first reading', 12],
  ['a block between the readings', 15],
  ['the first block of the second reading', 20],
])('an amount that did not change is the amount at %s', (_, number) => {
  const amounts = amountsAt({ number }, reading(10, 12, 7n), reading(20, 22, 7n));
  expect(amounts).toEqual(new Map([['USDT', { refund_wallet: 7n }]]));
});

it.each([
  ['within the blocks of the first reading', 11],
  ['within the blocks of the second reading', 21],
  ['before both', 9],
  ['after both', 23],
])('a block %s has no known amount, because the wallet could have changed on either side of it', (_, number) => {
  expect(amountsAt({ number }, reading(10, 12, 7n), reading(20, 22, 7n))).toBe('behind');
});

it('a wallet that changed between the readings has no known amount', () => {
  expect(amountsAt({ number: 15 }, reading(10, 12, 7n), reading(20, 22, 6n))).toBe('moving');
});
