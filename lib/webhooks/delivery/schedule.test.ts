import { describe, expect, test } from 'vitest';
import {
  MAX_ATTEMPTS,
  MAX_SLOW_ATTEMPTS,
  next,
  RETRY_SECONDS,
  SLOW_SECONDS,
  type Outcome,
  slowSchedule,
} from './schedule';

const answered = (status: number): Outcome => ({ kind: 'answered', status, answer: '' });
const retries = (outcome: Outcome) => Array.from({ length: MAX_ATTEMPTS }, (_, n) => next(n + 1, outcome));
const sixTimes = (status: string) => Array.from({ length: 6 }, () => ({ status }));
const SCHEDULE = [1, 2, 4, 8, 16].map((retryAfterSeconds) => ({ status: 'pending', retryAfterSeconds }));

describe('a failure that may pass is retried after 1, 2, 4, 8 and 16 s, and fails with the sixth attempt:', () => {
  test.each<[string, Outcome]>([
    ['429', answered(429)],
    ['500', answered(500)],
    ['502', answered(502)],
    ['503', answered(503)],
    ['599', answered(599)],
    ['no answer in time', { kind: 'timeout' }],
    ['a network error', { kind: 'unreachable', error: 'ECONNRESET' }],
  ])('%s', (_, outcome) => {
    expect(retries(outcome)).toEqual([...SCHEDULE, { status: 'failed' }]);
  });
});

describe('any other response that is not a success ends the delivery at once:', () => {
  test.each([300, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 408, 410, 422, 428, 430, 499, 600, 999])(
    '%i',
    (status) => {
      expect(retries(answered(status))).toEqual(sixTimes('failed'));
    },
  );
  test('an address that is not allowed', () => {
    expect(next(1, { kind: 'refused', error: 'ADDRESS_NOT_ALLOWED' })).toEqual({ status: 'failed' });
  });
});

test.each([200, 201, 202, 204, 206, 299])('%i acknowledges at any attempt', (status) => {
  expect(retries(answered(status))).toEqual(sixTimes('delivered'));
});

test('the schedule is the one of the contract', () => {
  expect([RETRY_SECONDS, MAX_ATTEMPTS]).toEqual([[1, 2, 4, 8, 16], 6]);
});

describe('the slow lane', () => {
  test('begins after five minutes, never waits longer than twelve hours, and ends within three days', () => {
    const pauses: readonly number[] = SLOW_SECONDS;
    expect([pauses[0], Math.max(...pauses)]).toEqual([300, 43_200]);
    expect(pauses.every((pause, n) => n === 0 || pause >= (pauses[n - 1] ?? 0))).toBe(true);
    const whole = pauses.reduce((sum, pause) => sum + pause, 0);
    expect(whole).toBeLessThanOrEqual(3 * 86_400);
    expect(whole).toBeGreaterThan(2.5 * 86_400);
  });

  test('is described to people correctly', () => {
    expect(slowSchedule()).toEqual({
      minutes: '5, 10, 20, 40',
      hours: '1:20, 2:40, 5:20, 10:40, 12:00, 12:00, 12:00, 12:00',
      total: 69,
    });
  });

  test('continues in order: each attempt is followed by the next pause, and the last one ends it', () => {
    const all = Array.from({ length: MAX_SLOW_ATTEMPTS }, (_, n) => next(n + 1, answered(503), 'slow'));
    expect(all).toEqual([
      ...SLOW_SECONDS.slice(1).map((retryAfterSeconds) => ({ status: 'pending', retryAfterSeconds })),
      { status: 'failed' },
    ]);
    expect([next(1, answered(404), 'slow'), next(1, answered(200), 'slow')]).toEqual([
      { status: 'failed' },
      { status: 'delivered' },
    ]);
  });
});
