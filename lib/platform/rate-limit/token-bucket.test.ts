import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openRateLimit } from './token-bucket';

test('a whole burst passes and the next request waits', () => {
  const take = openRateLimit({ rate: 100, burst: 200 });
  for (let n = 0; n < 200; n++) expect(take('a', 1_000_000)).toBe(0);
  expect(take('a', 1_000_000)).toBe(1);
});

test('one caller never uses up the limit of another', () => {
  const take = openRateLimit({ rate: 1, burst: 1 });
  expect(take('a', 0)).toBe(0);
  expect(take('b', 0)).toBe(0);
});

test('at most burst + rate × seconds requests pass in any period', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 400 }), (gaps) => {
      const take = openRateLimit({ rate: 50, burst: 20 });
      let [now, passed] = [1_000_000, 0];
      for (const gap of gaps) {
        now += gap;
        if (take('a', now) === 0) passed++;
      }
      expect(passed).toBeLessThanOrEqual(20 + (50 * (now - 1_000_000)) / 1000 + 1);
    }),
  );
});

test('waiting for the returned time is enough', () => {
  const take = openRateLimit({ rate: 3, burst: 2 });
  let now = 0;
  while (take('a', now) === 0);
  now += take('a', now) * 1000;
  expect(take('a', now)).toBe(0);
});
