import { expect, it } from 'vitest';
import { ChainError } from '@/lib/networks/chain';
import { openTestClock } from '@/testing/chain-clock';
import { openProofLimiter } from './proof-limiter';

const refusal = new ChainError('unavailable', 'the share is used up', { throttled: true, demotes: false });

it('compares fewer addresses after longer pauses while the budget refuses, and more again once it does not', () => {
  const clock = openTestClock(0);
  const pace = openProofLimiter(10);
  const pauses: number[] = [];
  const sizes: number[] = [];
  for (let refusals = 0; refusals < 7; refusals++) {
    pace.note(refusal, clock.now());
    let seconds = 0;
    for (; pace.most(clock.now()) === 0; seconds++) clock.advance(1000);
    pauses.push(seconds);
    sizes.push(pace.most(clock.now()));
  }
  expect(pauses).toEqual([15, 30, 60, 120, 240, 240, 240]);
  expect(sizes).toEqual([5, 2, 1, 1, 1, 1, 1]);
  expect(pace.shortage()).toBe(refusal);
  for (const size of [2, 4, 8, 10]) {
    pace.note(null, clock.now());
    expect(pace.most(clock.now())).toBe(size);
  }
  expect(pace.shortage()).toBeNull();
});

it('continues at once after an error that is not a refusal', () => {
  const clock = openTestClock(0);
  const pace = openProofLimiter(10);
  pace.note(new ChainError('unavailable', 'the endpoint is away'), clock.now());
  expect(pace.most(clock.now())).toBe(10);
  expect(pace.shortage()).toBeNull();
});

it('reports no shortage of the budget when an endpoint itself refuses', () => {
  const pace = openProofLimiter(10);
  pace.note(new ChainError('unavailable', 'too many requests', { throttled: true }), new Date(0));
  expect(pace.most(new Date(0))).toBe(0);
  expect(pace.shortage()).toBeNull();
});

it('halves the pause with each success, and grows only then', () => {
  const clock = openTestClock(0);
  const pace = openProofLimiter(10);
  const pauseOf = (): number => {
    pace.note(refusal, clock.now());
    let seconds = 0;
    for (; pace.most(clock.now()) === 0; seconds++) clock.advance(1000);
    return seconds;
  };
  expect([pauseOf(), pauseOf(), pauseOf()]).toEqual([15, 30, 60]);
  pace.note(new ChainError('unavailable', 'the endpoint is away'), clock.now());
  expect(pace.most(clock.now())).toBe(1);
  pace.note(null, clock.now());
  expect([pace.most(clock.now()), pauseOf()]).toEqual([2, 60]);
  for (let successes = 0; successes < 9; successes++) pace.note(null, clock.now());
  expect(pauseOf()).toBe(15);
});
