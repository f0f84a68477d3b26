// What follows an attempt, as one pure function (spec: Retries and idempotency). The schedule is a list; everything that needs to
// know it reads it here.

/** Seconds from each failure to the next attempt. */
export const RETRY_SECONDS = [1, 2, 4, 8, 16] as const;
/** The first attempt and its retries. */
export const MOST_ATTEMPTS = RETRY_SECONDS.length + 1;

const [MINUTE, HOUR] = [60, 3600];
/**
 * The slow lane, which the contract does not know and a store may choose: a delivery whose last retry failed stays failed, and
 * one more delivery of the event goes on from there, by these pauses (the first one lies before its first attempt). Doubling
 * from 5 minutes to 12 hours they end after 69 hours, within three days.
 */
export const SLOW_SECONDS = [
  ...[5, 10, 20, 40, 80, 160, 320, 640].map((minutes) => minutes * MINUTE),
  ...[12, 12, 12, 12].map((hours) => hours * HOUR),
] as const;
export const MOST_SLOW_ATTEMPTS = SLOW_SECONDS.length;

/** The slow lane's pauses for people: whole minutes, then `hours:minutes`, and whole hours from the first to the last. */
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

/** Why a delivery was made: with its event, to go on slowly after one that failed, or because somebody asked. */
export type Lane = 'first' | 'slow' | 'resent';

/**
 * How an attempt ended. `error` is a short code for the merchant's eyes. An answer's status counts whatever becomes of its
 * body; `refused` means that the address may not be called, so that nothing was sent.
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

/** What becomes of a delivery after its `attempts`-th attempt, counted from 1, ended so. */
export function next(attempts: number, outcome: Outcome, lane: Lane = 'first'): Next {
  if (isSuccess(outcome)) return { status: 'delivered' };
  const retryAfterSeconds = lane === 'slow' ? SLOW_SECONDS[attempts] : RETRY_SECONDS[attempts - 1];
  return isRetried(outcome) && retryAfterSeconds !== undefined
    ? { status: 'pending', retryAfterSeconds }
    : { status: 'failed' };
}

/** Whether a receiver took the event: any 2xx. */
export const isSuccess = (outcome: Outcome): boolean =>
  outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;

/** Network errors, timeouts, 429 and 5xx; nothing else, redirects included (decisions: Webhooks). */
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
