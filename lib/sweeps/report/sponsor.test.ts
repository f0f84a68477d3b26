// How long the sponsor's coin lasts.

import { describe, expect, test } from 'vitest';
import { coinPerDay, daysLeft, isCoinLow } from './sponsor';

const DAY = 86_400_000;
const now = new Date(1_800_000_000_000);
const perDay = (used: bigint, days: number | null) =>
  coinPerDay({ used, firstAt: days === null ? null : new Date(now.getTime() - days * DAY), now });

describe('the use of a day', () => {
  test.each<[string, bigint, number | null, bigint | null]>([
    ['of a week, when sweeps are older than that', 700n, 30, 100n],
    ['of the days since the first sweep, when that is less', 700n, 2, 350n],
    ['of at least one day', 700n, 0.1, 700n],
    ['is never rounded down to nothing', 3n, 30, 1n],
    ['is unknown without sweeps', 0n, null, null],
    ['is unknown without use within the week', 0n, 30, null],
  ])('is the average %s', (_, used, days, expected) => {
    expect(perDay(used, days)).toBe(expected);
  });
});

test('the coin lasts whole days, rounded down', () => {
  expect(daysLeft(299n, 100n)).toBe(2n);
  expect(daysLeft(99n, 100n)).toBe(0n);
  expect(daysLeft(99n, null)).toBeNull();
});

test('coin is low below a day’s use, or below the fee cap of one transaction when no use is known', () => {
  const low = (coin: bigint, use: bigint | null) => isCoinLow({ feeCap: 50n }, { coin, perDay: use });
  expect([low(100n, 100n), low(99n, 100n)]).toEqual([false, true]);
  expect([low(50n, null), low(49n, null)]).toEqual([false, true]);
});
