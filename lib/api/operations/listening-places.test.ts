// How many programs may listen for events at once.

import { expect, test } from 'vitest';
import { openPlaces, type TakePlace } from './listening-places';

/** How many of `wanted` places each key of a store gets. */
const takenBy = (take: TakePlace, storeId: string, keys: readonly number[], wanted: number): number[] =>
  keys.map((id) => {
    let count = 0;
    for (; count < wanted; count++) {
      try {
        take({ id, storeId });
      } catch (error) {
        expect(error).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 20 });
        break;
      }
    }
    return count;
  });

test('a key listens five times, and a store ten times, with however many keys', () => {
  const take = openPlaces();
  expect(takenBy(take, 'a', [1, 2, 3, 4], 20)).toEqual([5, 5, 0, 0]);
  expect(takenBy(take, 'b', [5], 20)).toEqual([5]);
});

test('a place is free again once its listener has left, and leaving twice frees no other one', () => {
  const take = openPlaces();
  const leave = take({ id: 1, storeId: 'a' });
  takenBy(take, 'a', [1], 4);
  leave();
  leave();
  expect(takenBy(take, 'a', [1], 20)).toEqual([1]);
});

test('a process has a hundred listeners', () => {
  const take = openPlaces();
  const stores = Array.from({ length: 12 }, (_, n) => takenBy(take, `store ${n}`, [2 * n, 2 * n + 1], 5));
  expect(stores.flat().reduce((sum, count) => sum + count)).toBe(100);
});
