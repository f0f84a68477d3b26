// The retry policy, as one pure function. The schedule is a list, and all code that depends on it reads it here.

/** Seconds from each failure to the next attempt. */
export const RETRY_SECONDS = [1, 2, 4, 8, 16] as const;
/** The first attempt and its retries. */
export const MAX_ATTEMPTS = RETRY_SECONDS.length + 1;

const [MINUTE, HOUR] = [60, 3600];
/**
 * The slow lane, an option beyond the contract that a store may choose. A delivery whose last retry failed stays
 * failed, and another delivery of the event continues with these pauses (the first lies before its first attempt). They
 * double from 5 minutes to 12 hours and end after 69 hours, within three days.
 */
export const SLOW_SECONDS = [
  ...[5, 10, 20, 40, 80, 160, 320, 640].map((minutes) => minutes * MINUTE),
  ...[12, 12, 12, 12].map((hours) => hours * HOUR),
] as const;
export const MAX_SLOW_ATTEMPTS = SLOW_SECONDS.length;

/**
 * The slow lane's pauses in readable form: whole minutes, then `hours:minutes`, and whole hours from the first to the
 * last.
 */
export function slowSchedule(): { minutes: string; hours: string; total: number } {
  const short = SLOW_SECONDS.filter((pause) => pause < HOUR);
  const long = SLOW_SECONDS.filter((pause) => pause >= HOUR);
  const clock = (pause: number): string =>
    `${Math.floor(pause / HOUR)}:${String((pause % HOUR) / MINUTE).padStart(2, '0')}`;
  return {
    minutes: short.map((pause) => pause / MINUTE).join(', '),
    hours: long.map(clock).join(', '),
    total: Math.floor(SLOW_SECONDS.reduce((sum, pause) => sum + pause, 0) / HOUR),
  };
}

/** Why a delivery was created: with its event, in the slow lane after a failed one, or by a resend. */
export type Lane = 'first' | 'slow' | 'resent';

/**
 * The outcome of an attempt. `error` is a short code shown to the merchant. The status of a response counts whatever
 * happens to its body. `refused`: the address is not allowed, so nothing was sent.
 */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly answer: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'unreachable'; readonly error: string }
  | { readonly kind: 'refused'; readonly error: string };

export type Next =
  | { readonly status: 'delivered' }
  | { readonly status: 'failed' }
  | { readonly status: 'pending'; readonly retryAfterSeconds: number };

/** The next state of a delivery after its `attempts`-th attempt (counted from 1) with this outcome. */
export function next(attempts: number, outcome: Outcome, lane: Lane = 'first'): Next {
  if (isSuccess(outcome)) return { status: 'delivered' };
  const retryAfterSeconds = lane === 'slow' ? SLOW_SECONDS[attempts] : RETRY_SECONDS[attempts - 1];
  return isRetried(outcome) && retryAfterSeconds !== undefined
    ? { status: 'pending', retryAfterSeconds }
    : { status: 'failed' };
}

/** Whether the receiver accepted the event: any 2xx. */
export const isSuccess = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

/** Network errors, timeouts, 429 and 5xx are retried; nothing else is, redirects included. */
export function isRetried(outcome: Outcome): boolean {
  switch (outcome.kind) {
    case 'answered':
      return outcome.status === 429 || (outcome.status >= 500 && outcome.status < 600);
    case 'timeout':
    case 'unreachable':
      return true;
    case 'refused':
      return false;
  }
  return outcome satisfies never;
}
