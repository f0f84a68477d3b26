import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openRateLimit, openTokenBuckets } from './token-bucket';

const NOW = 1_800_000_000_000;
const LIMIT = { rate: 100, burst: 200 };

test('a whole burst passes and the next request waits', () => {
  const take = openRateLimit(LIMIT);
  for (let n = 0; n < 200; n++) expect(take('a', NOW)).toBe(0);
  expect(take('a', NOW)).toBe(1);
});

test('one caller never uses up the limit of another', () => {
  const take = openRateLimit({ rate: 1, burst: 1 });
  expect(take('a', 0)).toBe(0);
  expect(take('b', 0)).toBe(0);
});

test('at most burst + rate × seconds requests pass in any period, and waiting for the returned time is enough', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 400 }), (gaps) => {
      const { take, peek } = openTokenBuckets({ rate: 50, burst: 20 });
      let [now, passed] = [NOW, 0];
      for (const gap of gaps) {
        now += gap;
        const { wait } = take('a', now);
        if (wait === 0) passed++;
        else expect(peek('a', now + wait * 1000).wait).toBe(0);
      }
      expect(passed).toBeLessThanOrEqual(20 + (50 * (now - NOW)) / 1000 + 1);
    }),
  );
});

test.each([3, 7, 0.3, 1 / 15, 1 / 3600])('waiting for the returned time is enough at %d requests a second', (rate) => {
  const take = openRateLimit({ rate, burst: 2 });
  let now = NOW;
  for (let n = 0; n < 20; n++) {
    while (take('a', now) === 0);
    now += take('a', now) * 1000;
    expect(take('a', now)).toBe(0);
  }
});

describe('what a caller has left', () => {
  test('is reported with every request, and when the whole burst is available again', () => {
    const { take, peek } = openTokenBuckets(LIMIT);
    expect(take('a', NOW)).toEqual({ wait: 0, remaining: 199, reset: 1 });
    expect(peek('a', NOW)).toEqual({ wait: 0, remaining: 199, reset: 1 });
    expect(peek('a', NOW + 1000)).toEqual({ wait: 0, remaining: 200, reset: 0 });
  });

  test('is nothing after the last token, and a refused request uses up nothing', () => {
    const { take } = openTokenBuckets({ rate: 1, burst: 2 });
    const [first, last, refused, again] = [1, 2, 3, 4].map(() => take('a', NOW));
    expect([first, last]).toEqual([
      { wait: 0, remaining: 1, reset: 1 },
      { wait: 0, remaining: 0, reset: 2 },
    ]);
    expect(refused).toEqual({ wait: 1, remaining: 0, reset: 2 });
    expect(again).toEqual(refused);
    expect(take('a', NOW + 1000)).toEqual({ wait: 0, remaining: 0, reset: 2 });
  });

  test('can be set to what was counted elsewhere, and grows from there', () => {
    const { peek, set } = openTokenBuckets(LIMIT);
    set('a', 0, NOW);
    expect(peek('a', NOW)).toEqual({ wait: 1, remaining: 0, reset: 2 });
    expect(peek('a', NOW + 500)).toEqual({ wait: 0, remaining: 50, reset: 2 });
  });

  test('is not lost until the old time comes again when the clock is set back', () => {
    const { take } = openTokenBuckets(LIMIT);
    for (let n = 0; n < 150; n++) take('a', NOW);
    for (let n = 0; n < 50; n++) expect(take('a', NOW - 60_000).wait).toBe(0);
    expect(take('a', NOW - 60_000).wait).toBe(1);
    expect(take('a', NOW - 59_000).wait).toBe(0);
  });
});

test('fifty thousand callers are remembered at most, however many send requests', () => {
  const { take } = openTokenBuckets(LIMIT);
  const remembered = vi.spyOn(Map.prototype, 'set');
  for (let n = 0; n < 60_000; n++) take(`caller ${n}`, NOW);
  const sizes = remembered.mock.contexts.map((map) => (map as Map<unknown, unknown>).size);
  remembered.mockRestore();
  expect(Math.min(sizes.length, 60_000)).toBe(60_000);
  expect(sizes.reduce((most, size) => Math.max(most, size), 0)).toBe(50_000);
});
