// When a call may be repeated, and after which wait.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secondsOf, waitBeforeRetry } from './retry';

const failure = (status: number | null, over: { code?: string; retryAfter?: number } = {}) => ({
  status,
  code: 'x',
  retryAfter: null,
  ...over,
});
const first = { repeatable: 'always', failed: 1, chance: 0 } as const;

describe('a call that may be repeated', () => {
  test.each([null, 429, 500, 502, 503, 504])('is retried after status %s', (status) => {
    expect(waitBeforeRetry(failure(status), first)).toBe(250);
  });

  test.each([0, 200, 301, 400, 401, 403, 404, 405, 413, 415])('is not retried after status %i', (status) => {
    expect(waitBeforeRetry(failure(status), first)).toBeNull();
  });

  test('is not retried when a daily limit is used up', () => {
    expect(waitBeforeRetry(failure(429, { code: 'DAILY_REFUND_LIMIT_EXCEEDED' }), first)).toBeNull();
  });

  test('is not retried when the service requests a longer wait than a call allows', () => {
    expect(waitBeforeRetry(failure(429, { retryAfter: 60 }), first)).toBe(60_000);
    expect(waitBeforeRetry(failure(429, { retryAfter: 61 }), first)).toBeNull();
  });
});

test.each([
  [429, 250],
  [503, null],
  [500, null],
  [null, null],
])('a call that must not happen twice is retried after status %s: %s', (status, wait) => {
  expect(waitBeforeRetry(failure(status), { ...first, repeatable: 'refused' })).toBe(wait);
});

test('waits double, are never shorter than requested, and are bounded and randomised', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const requested = fc.option(fc.integer({ min: 1, max: 60 }));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 11 }), chance, requested, (failed, luck, retryAfter) => {
      const wait = waitBeforeRetry({ ...failure(503), retryAfter }, { repeatable: 'always', failed, chance: luck });
      const ceiling = Math.min(8_000, 500 * 2 ** (failed - 1));
      const [least, most] = retryAfter === null ? [ceiling / 2, ceiling] : [retryAfter * 1000, retryAfter * 1000 + 500];
      expect(wait).toBeGreaterThanOrEqual(least);
      expect(wait).toBeLessThanOrEqual(most);
    }),
  );
});

test.each([
  [null, null],
  ['7', 7],
  [' 7 ', 7],
  ['0', 0],
  ['-1', null],
  ['soon', null],
  ['Sat, 21 Nov 2026 07:28:10 GMT', 10],
  ['Sat, 21 Nov 2026 07:27:00 GMT', 0],
])('Retry-After %j is %s seconds', (header, seconds) => {
  expect(secondsOf(header, Date.UTC(2026, 10, 21, 7, 28))).toBe(seconds);
});
