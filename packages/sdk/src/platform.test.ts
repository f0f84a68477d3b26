// A wait ends on time or with the signal's reason, and leaves no timer that keeps a program running.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PLATFORM } from './platform';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a wait lasts as long as requested', async () => {
  const ended = vi.fn<() => void>();
  const wait = PLATFORM.wait(250, new AbortController().signal).then(ended);
  await vi.advanceTimersByTimeAsync(249);
  expect(ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(ended).toHaveBeenCalledOnce();
  await wait;
});

test.each([0, 100])('an abort after %i ms ends the wait with the reason and clears its timer', async (milliseconds) => {
  const reason = new Error('the customer left');
  const controller = new AbortController();
  if (milliseconds === 0) controller.abort(reason);
  const outcome = PLATFORM.wait(250, controller.signal).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(milliseconds);
  controller.abort(reason);
  expect(await outcome).toBe(reason);
  expect(vi.getTimerCount()).toBe(0);
});

test('chance is at least 0, below 1, and not always the same', () => {
  const drawn = Array.from({ length: 100 }, () => PLATFORM.chance());
  expect(drawn.every((one) => one >= 0 && one < 1)).toBe(true);
  expect(new Set(drawn).size).toBeGreaterThan(50);
});
