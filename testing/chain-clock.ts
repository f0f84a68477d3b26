// A clock that only the test moves, and a silent log.

import type { Clock } from '@/lib/platform/clock';
import { openLog, type Log } from '@/lib/platform/log';

export type TestClock = Clock & { advance(milliseconds: number): void; set(unixSeconds: number): void };

export function openTestClock(unixSeconds: number): TestClock {
  let time = unixSeconds * 1000;
  return {
    now: () => new Date(time),
    advance: (milliseconds) => void (time += milliseconds),
    set: (seconds) => void (time = seconds * 1000),
  };
}

export const silentLog = (): Log => openLog('test', 'silent');
