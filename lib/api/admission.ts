// How many requests this process works on at once. Whoever comes when it is full is turned away at once with 503 and
// Retry-After, before anything is read or looked up for them, so that those inside are still answered in good time and memory
// stays bounded, however many come. A burst may queue up; a queue that does not drain is cut short, because it would only make
// everybody wait and answer nobody sooner.

import { ServiceError } from '@/lib/errors';
import type { Log } from '@/lib/log';

/** Longer than a checkpoint or a garbage collection holds everything up, shorter than callers wait. */
const PATIENCE_MILLISECONDS = 1000;
/** Requests per database connection that keep every connection busy; as long as there are no more, nobody queues. */
const CALM_PER_CONNECTION = 2;
/** The same while a queue does not drain: enough never to leave a connection idle, few enough to be answered in moments. */
const STANDING_PER_CONNECTION = 4;
/** Callers are told different waits in turn, so that those turned away together do not come back together. */
const RETRY_SECONDS = [1, 2, 3] as const;
const REPORT_MILLISECONDS = 10_000;

export type Admission = {
  /** Whether `enter` would throw: for refusing a request before its body is read. */
  isFull(): boolean;
  /** Takes a place, which `leave` gives back. Throws SERVICE_UNAVAILABLE when there is none. */
  enter(): void;
  leave(): void;
  /** Counts a request that was turned away. Answers the refusal to tell it. */
  turnAway(): ServiceError;
};

export type AdmissionOptions = {
  readonly log: Log;
  /** Requests inside at once, ever. */
  readonly most: number;
  /** Connections to the database. */
  readonly connections: number;
};

/** An empty house. `now`: milliseconds by a clock that never goes back. */
export function openAdmission(
  { log, most, connections }: AdmissionOptions,
  now: () => number = () => performance.now(),
): Admission {
  const calm = Math.min(CALM_PER_CONNECTION * connections, most);
  const standing = Math.min(STANDING_PER_CONNECTION * connections, most);
  let inside = 0;
  /** When there last was no queue. */
  let calmAt = now();
  let turnedAway = 0;
  let reportedAt = -Infinity;

  const isFull = (): boolean => {
    if (inside < calm) calmAt = now();
    if (inside < standing) return false;
    return inside >= most || now() - calmAt >= PATIENCE_MILLISECONDS;
  };

  const turnAway = (): ServiceError => {
    const retryAfter = RETRY_SECONDS[turnedAway++ % RETRY_SECONDS.length] as number;
    // One line for thousands of requests: a log that is written for each would be a load of its own.
    if (now() - reportedAt >= REPORT_MILLISECONDS) {
      reportedAt = now();
      log.warn({ inside, turnedAway }, 'more requests than can be answered: some are turned away');
    }
    return new ServiceError('SERVICE_UNAVAILABLE', { retryAfter });
  };

  return {
    isFull,
    turnAway,
    enter() {
      if (isFull()) throw turnAway();
      inside += 1;
    },
    leave() {
      inside -= 1;
      if (inside < calm) calmAt = now();
    },
  };
}
