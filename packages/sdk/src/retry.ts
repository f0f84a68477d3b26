// When to try again, and how long to wait before it. Pure: chance comes in as an argument.

/**
 * Whether a call may be sent a second time after an unknown end: 'always' when repeating changes nothing (reading, and creating
 * with an idempotency key), 'refused' when only a refusal before any effect proves that.
 */
export type Repeatable = 'always' | 'refused';

export type Failure = {
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly code: string;
  /** Seconds that the service asked for; null when it did not. */
  readonly retryAfter: number | null;
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** A service that asks for more is better obeyed by the caller's own schedule than by a request that hangs. */
const MOST_SECONDS_OBEYED = 60;
/** Answered with 429 too, and as true in a minute as now. */
const LASTING = 'DAILY_REFUND_LIMIT_EXCEEDED';

/**
 * Milliseconds to wait before try number `failed` + 1, or null when trying again is unsafe or useless. `chance` is in [0, 1):
 * many clients that failed together do not come back together.
 */
export function waitBeforeRetry(
  failure: Failure,
  { repeatable, failed, chance }: { repeatable: Repeatable; failed: number; chance: number },
): number | null {
  if (!isPassing(failure) || (repeatable === 'refused' && failure.status !== 429)) return null;
  const asked = failure.retryAfter ?? 0;
  if (asked > MOST_SECONDS_OBEYED) return null;
  const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failed - 1));
  // Never earlier than the service asked, and a little later for the same reason.
  return asked * 1000 + (asked > 0 ? chance * FIRST_WAIT_MS : (ceiling / 2) * (1 + chance));
}

function isPassing({ status, code }: Failure): boolean {
  if (status === 429) return code !== LASTING;
  return status === null || status >= 500;
}

/** The seconds of a Retry-After header, given as seconds or as a date; null when it is absent or unreadable. `now` in Unix milliseconds. */
export function secondsOf(retryAfter: string | null, now: number): number | null {
  if (retryAfter === null) return null;
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter);
  // Date.parse takes much for a date that HTTP does not.
  const date = /\sGMT$/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
