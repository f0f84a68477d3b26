// Limits how many requests this process works on at once. A request above the limit gets 503 with Retry-After before its body
// is read, so that memory stays bounded and the requests that were admitted are answered in good time. A burst may queue; a
// queue that does not drain for a second is cut short, because it delays every caller and answers none of them sooner.
//
// The heaviest caller is refused first: each may have four times as many requests in progress as there are free places. One caller
// alone gets four fifths of the places, a second one four fifths of the rest, and a flood from one of them leaves room for all
// others ("Dynamic queue length thresholds", Choudhury and Hahne, 1998).

import { groupOf } from '@/lib/platform/rate-limit/address-group';
import { bearerOf } from '@/lib/merchants/api-keys/request-signature';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Log } from '@/lib/platform/log';
import { instruments } from '@/lib/platform/metrics/instruments';

/** How long a queue may last: longer than a checkpoint or a garbage collection, shorter than callers wait. */
const DRAIN_MILLISECONDS = 1000;
/** The limit while a queue does not drain, in times of what keeps the database busy: each request is answered in moments. */
const OVERLOADED_TIMES = 2.5;
/** Requests in progress that a caller may have for each free place. */
const PER_FREE_PLACE = 4;
/** Refused callers get different waits in turn, so that they do not come back together. */
const RETRY_SECONDS = [1, 2, 3] as const;
const REPORT_MILLISECONDS = 10_000;

/** The sender of a request according to its headers: see `callerOf`. */
export type AdmissionCaller = string;

export type Admission = {
  /** Whether `enter` would throw. Used to refuse a request before its body is read. */
  isFull(caller: AdmissionCaller): boolean;
  /** Takes a place, which `leave` releases. Throws SERVICE_UNAVAILABLE when there is none for this caller. */
  enter(caller: AdmissionCaller): void;
  leave(caller: AdmissionCaller): void;
  /** Counts a refused request and returns its refusal. */
  refuse(): ServiceError;
};

export type AdmissionOptions = {
  readonly log: Log;
  /** The most requests in progress at once. */
  readonly most: number;
  /** Requests that keep the database busy. With fewer in progress none waits for long. */
  readonly busy: number;
};

/**
 * The caller of a request before any verification. The address is part of it, so that a stranger who sends another merchant's API
 * key takes none of that merchant's places. Spellings of one key, and addresses of one network, are one caller.
 */
export const callerOf = (address: string, authorization = ''): AdmissionCaller =>
  `${groupOf(address)} ${bearerOf(authorization) ?? ''}`;

/** Starts with no request in progress. `now`: milliseconds of a monotonic clock. */
export function openAdmission(
  { log, most, busy: busyWith }: AdmissionOptions,
  now: () => number = () => performance.now(),
): Admission {
  const busy = Math.min(busyWith, most);
  const overloaded = Math.min(OVERLOADED_TIMES * busyWith, most);
  const inProgressBy = new Map<AdmissionCaller, number>();
  let inProgress = 0;
  /** The last time at which no request queued. */
  let drainedAt = now();
  let refused = 0;
  let reportedAt = -Infinity;

  const isFull = (caller: AdmissionCaller): boolean => {
    if (inProgress < busy) {
      drainedAt = now();
      return false;
    }
    const limit = now() - drainedAt >= DRAIN_MILLISECONDS ? overloaded : most;
    return (inProgressBy.get(caller) ?? 0) >= PER_FREE_PLACE * (limit - inProgress);
  };

  const refuse = (): ServiceError => {
    instruments().shed.inc();
    const retryAfter = RETRY_SECONDS[refused++ % RETRY_SECONDS.length] as number;
    // One log line covers thousands of requests. A line for each would add load.
    if (now() - reportedAt >= REPORT_MILLISECONDS) {
      reportedAt = now();
      log.warn({ inProgress, callers: inProgressBy.size, refused }, 'more requests than can be answered: some get 503');
    }
    return new ServiceError('SERVICE_UNAVAILABLE', { retryAfter });
  };

  return {
    isFull,
    refuse,
    enter(caller) {
      if (isFull(caller)) throw refuse();
      inProgress += 1;
      inProgressBy.set(caller, (inProgressBy.get(caller) ?? 0) + 1);
    },
    leave(caller) {
      inProgress -= 1;
      const left = (inProgressBy.get(caller) ?? 0) - 1;
      if (left > 0) inProgressBy.set(caller, left);
      else inProgressBy.delete(caller);
      if (inProgress < busy) drainedAt = now();
    },
  };
}
