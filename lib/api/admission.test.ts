// What becomes of more requests than can be answered, on a clock that the test moves.

import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { ServiceError } from '@/lib/errors';
import { openLog } from '@/lib/log';
import { openAdmission } from './admission';

/** Of one connection: nobody queues with fewer than two inside, and four are a queue that is cut short. */
function house({ most = 10, connections = 1 } = {}) {
  let time = 0;
  const warnings: unknown[] = [];
  const log = Object.assign(openLog('test', 'silent'), { warn: (facts: unknown) => warnings.push(facts) });
  const admission = openAdmission({ log, most, connections }, () => time);
  /** How many of so many are let in. */
  const arrive = (count: number): number => {
    let entered = 0;
    for (let n = 0; n < count; n++) {
      try {
        admission.enter();
        entered += 1;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
      }
    }
    return entered;
  };
  const leave = (count: number): void => {
    for (let n = 0; n < count; n++) admission.leave();
  };
  return { admission, warnings, arrive, leave, pass: (milliseconds: number) => void (time += milliseconds) };
}

describe('more requests than can be answered', () => {
  test('a burst queues up, to the most that may ever be inside', () => {
    const { arrive } = house();
    expect(arrive(25)).toBe(10);
  });

  test('a queue that drains within a second turns nobody away', () => {
    const { arrive, leave, pass } = house();
    for (let burst = 0; burst < 20; burst++) {
      expect(arrive(9)).toBe(9);
      pass(999);
      leave(9);
    }
  });

  test('a queue that has stood for a second is cut short, while those inside stay', () => {
    const { arrive, leave, pass } = house();
    arrive(9);
    pass(1000);
    expect(arrive(1)).toBe(0);
    leave(5);
    expect(arrive(1)).toBe(0);
    leave(1);
    // Three are inside: there is room for a fourth, and for no more.
    expect(arrive(5)).toBe(1);
  });

  test('a standing queue stays short as long as more come than leave', () => {
    const { arrive, leave, pass } = house();
    arrive(10);
    pass(1000);
    leave(6);
    for (let n = 0; n < 100; n++) {
      leave(1);
      expect(arrive(50)).toBe(1);
      pass(10);
    }
  });

  test('as soon as the queue is gone, a burst may queue up again', () => {
    const { arrive, leave, pass } = house();
    arrive(10);
    pass(5000);
    expect(arrive(1)).toBe(0);
    leave(9);
    expect(arrive(20)).toBe(9);
  });

  test('a full house says so before it is entered, and only then', () => {
    const { admission, arrive, leave } = house({ most: 6 });
    arrive(5);
    expect(admission.isFull()).toBe(false);
    arrive(1);
    expect(admission.isFull()).toBe(true);
    leave(1);
    expect(admission.isFull()).toBe(false);
  });

  test('an idle hour is no queue', () => {
    const { arrive, pass } = house();
    pass(3_600_000);
    expect(arrive(10)).toBe(10);
  });

  test('a small limit holds although there are many connections', () => {
    const { arrive, pass } = house({ most: 3, connections: 50 });
    expect(arrive(9)).toBe(3);
    pass(2000);
    expect(arrive(9)).toBe(0);
  });
});

test('whoever is turned away is told when to come again, and not all the same', () => {
  const { admission } = house();
  const told = Array.from({ length: 6 }, () => admission.turnAway());
  expect(told.map(({ code }) => code)).toEqual(Array(6).fill('SERVICE_UNAVAILABLE'));
  expect(told.map(({ retryAfter }) => retryAfter)).toEqual([1, 2, 3, 1, 2, 3]);
});

test('the log tells of it once in ten seconds, and how many there were', () => {
  const { arrive, warnings, pass } = house();
  arrive(5000);
  pass(9999);
  arrive(10);
  expect(warnings).toHaveLength(1);
  pass(1);
  arrive(1);
  expect(warnings.at(-1)).toMatchObject({ inside: 10, turnedAway: 5001 });
});

test('there are never more inside than may be, whoever comes and goes when', () => {
  const moves = fc.array(fc.tuple(fc.nat(30), fc.nat(30), fc.nat(1500)), { maxLength: 60 });
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 10 }), (steps, most, connections) => {
      const { arrive, leave, pass } = house({ most, connections });
      let inside = 0;
      for (const [come, go, milliseconds] of steps) {
        const wasCalm = inside < Math.min(2 * connections, most);
        const entered = arrive(come);
        // Where nobody queues nobody is turned away.
        if (wasCalm && come > 0) expect(entered).toBeGreaterThan(0);
        inside += entered;
        expect(inside).toBeLessThanOrEqual(most);
        const gone = Math.min(go, inside);
        leave(gone);
        inside -= gone;
        pass(milliseconds);
      }
    }),
  );
});
