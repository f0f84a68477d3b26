// Admission under more requests than can be answered, on a clock that the test moves.

import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { ServiceError } from '@/lib/platform/errors/errors';
import { openLog } from '@/lib/platform/log';
import { callerOf, openAdmission } from './admission';

/**
 * Admission for one connection: no request queues with fewer than two in progress, and a queue that does not drain is cut to
 * five. `arrive` returns how many of the given requests are admitted, all of one caller or each of its own.
 */
function open({ most = 10, connections = 1 } = {}) {
  let time = 0;
  let callers = 0;
  const warnings: unknown[] = [];
  const inProgress: string[] = [];
  const log = Object.assign(openLog('test', 'silent'), { warn: (facts: unknown) => warnings.push(facts) });
  const admission = openAdmission({ log, most, busy: 2 * connections }, () => time);
  const arrive = (count: number, caller?: string): number => {
    let entered = 0;
    for (let n = 0; n < count; n++) {
      const from = caller ?? `caller ${callers++}`;
      try {
        admission.enter(from);
        inProgress.push(from);
        entered += 1;
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
      }
    }
    return entered;
  };
  const leave = (count: number): void => inProgress.splice(0, count).forEach((from) => admission.leave(from));
  return { admission, warnings, arrive, leave, pass: (milliseconds: number) => void (time += milliseconds) };
}

describe('a caller with many requests', () => {
  test('is one caller, however it writes its Authorization header and from whichever address of its IPv6 network', () => {
    const usual = callerOf('2001:db8::1', 'Bearer ak_live_key');
    for (const other of ['bearer ak_live_key', 'BEARER   ak_live_key'])
      expect(callerOf('2001:db8::ffff', other)).toBe(usual);
    expect(callerOf('2001:db8::1', 'Bearer ak_live_other')).not.toBe(usual);
    expect(callerOf('2001:db8:0:1::1', 'Bearer ak_live_key')).not.toBe(usual);
    // No API key at all: however many texts are sent, they are one caller.
    expect(callerOf('192.0.2.1', 'Basic eA==')).toBe(callerOf('192.0.2.1'));
  });

  test('leaves places for every other caller', () => {
    const { arrive } = open({ most: 40 });
    expect(arrive(600, 'heavy')).toBe(32);
    expect(arrive(600, 'second')).toBe(7);
    expect(arrive(5, 'light')).toBe(1);
  });

  test('is refused while a light caller is still admitted, also when the queue does not drain', () => {
    const { arrive, pass } = open({ most: 40, connections: 5 });
    arrive(20, 'heavy');
    pass(1000);
    expect(arrive(1, 'heavy')).toBe(0);
    expect(arrive(1, 'light')).toBe(1);
  });

  test('gets every place that no request waits for', () => {
    const { arrive } = open({ most: 10, connections: 5 });
    expect(arrive(30, 'heavy')).toBe(10);
  });

  test('gets back as many places as requests of it were answered, and no more', () => {
    const { arrive, leave } = open({ most: 40 });
    arrive(600, 'heavy');
    leave(1);
    expect(arrive(600, 'heavy')).toBe(1);
  });

  test('gets its places back as soon as its requests are answered', () => {
    const { arrive, leave } = open({ most: 40 });
    arrive(600, 'heavy');
    leave(32);
    expect(arrive(600, 'heavy')).toBe(32);
  });
});

describe('more requests than can be answered', () => {
  test('a burst queues up to the limit', () => {
    const { arrive } = open();
    expect(arrive(25)).toBe(10);
  });

  test('a queue that drains within a second refuses no request', () => {
    const { arrive, leave, pass } = open();
    for (let burst = 0; burst < 20; burst++) {
      expect(arrive(9)).toBe(9);
      pass(999);
      leave(9);
    }
  });

  test('a queue that does not drain for a second is cut short, and the requests in progress stay', () => {
    const { arrive, leave, pass } = open();
    arrive(9);
    pass(1000);
    expect(arrive(1)).toBe(0);
    leave(4);
    expect(arrive(1)).toBe(0);
    leave(1);
    // Four are in progress: there is a place for a fifth and for no more.
    expect(arrive(5)).toBe(1);
  });

  test('a queue that was cut short stays short while more requests arrive than are answered', () => {
    const { arrive, leave, pass } = open();
    arrive(10);
    pass(1000);
    leave(5);
    for (let n = 0; n < 100; n++) {
      leave(1);
      expect(arrive(50)).toBe(1);
      pass(10);
    }
  });

  test('as soon as the queue is gone, a burst may queue up again', () => {
    const { arrive, leave, pass } = open();
    arrive(10);
    pass(5000);
    expect(arrive(1)).toBe(0);
    leave(9);
    expect(arrive(20)).toBe(9);
  });

  test('isFull is true exactly when enter would throw', () => {
    const { admission, arrive, leave } = open({ most: 6 });
    arrive(5);
    expect(admission.isFull('another')).toBe(false);
    arrive(1);
    expect(admission.isFull('another')).toBe(true);
    leave(1);
    expect(admission.isFull('another')).toBe(false);
  });

  test('an idle hour does not count as a queue', () => {
    const { arrive, pass } = open();
    pass(3_600_000);
    expect(arrive(10)).toBe(10);
  });

  test('a small limit holds although there are many connections', () => {
    const { arrive, pass } = open({ most: 3, connections: 50 });
    expect(arrive(9)).toBe(3);
    pass(2000);
    expect(arrive(9)).toBe(0);
  });
});

test('a refused caller gets a time to retry, and not all get the same', () => {
  const { admission } = open();
  const refusals = Array.from({ length: 6 }, () => admission.refuse());
  expect(refusals.map(({ code }) => code)).toEqual(Array(6).fill('SERVICE_UNAVAILABLE'));
  expect(refusals.map(({ retryAfter }) => retryAfter)).toEqual([1, 2, 3, 1, 2, 3]);
});

test('the log has one line in ten seconds with the number of refusals', () => {
  const { arrive, warnings, pass } = open();
  arrive(5000);
  pass(9999);
  arrive(10);
  expect(warnings).toHaveLength(1);
  pass(1);
  arrive(1);
  expect(warnings.at(-1)).toMatchObject({ inProgress: 10, refused: 5001 });
});

test('a caller without requests in progress is forgotten', () => {
  const { admission, arrive, leave, warnings } = open();
  arrive(3, 'one');
  arrive(2, 'another');
  leave(3);
  admission.refuse();
  expect(warnings).toMatchObject([{ inProgress: 2, callers: 1 }]);
});

test('the limit holds for every order of arrivals and answers', () => {
  const moves = fc.array(fc.tuple(fc.nat(30), fc.nat(30), fc.nat(1500)), { maxLength: 60 });
  fc.assert(
    fc.property(moves, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 10 }), (steps, most, connections) => {
      const { arrive, leave, pass } = open({ most, connections });
      let inside = 0;
      for (const [come, go, milliseconds] of steps) {
        const wasCalm = inside < Math.min(2 * connections, most);
        const entered = arrive(come);
        // Without a queue no request is refused.
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
