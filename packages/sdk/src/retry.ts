// Decides whether to retry and how long to wait. Pure: randomness is an argument.

/**
 * Whether a call may be sent again after an unknown outcome. 'always': repeating changes nothing (reads, and creation with an
 * idempotency key). 'refused': only a refusal before any effect makes a repeat safe.
 */
export type Repeatable = 'always' | 'refused';

export type Failure = {
  /** Null if there was no answer. */
  readonly status: number | null;
  readonly code: string;
  /** Seconds that the service requested; null if it did not. */
  readonly retryAfter: number | null;
};

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;
/** For longer waits, the caller's own schedule is better than a hanging request. */
const MAX_SECONDS_OBEYED = 60;
/** Also answered with 429, but a retry within minutes cannot succeed. */
const LASTING = 'DAILY_REFUND_LIMIT_EXCEEDED';

/**
 * Milliseconds to wait before try number `failed` + 1, or null if a retry is unsafe or useless. `chance` is in [0, 1): it spreads
 * the retries of many clients that failed together.
 */
export function waitBeforeRetry(
  failure: Failure,
  { repeatable, failed, chance }: { repeatable: Repeatable; failed: number; chance: number },
): number | null {
  if (!isPassing(failure) || (repeatable === 'refused' && failure.status !== 429)) return null;
  const requested = failure.retryAfter ?? 0;
  if (requested > MAX_SECONDS_OBEYED) return null;
  const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failed - 1));
  // Never earlier than the service requested, and slightly later to spread the retries.
  return requested * 1000 + (requested > 0 ? chance * FIRST_WAIT_MS : (ceiling / 2) * (1 + chance));
}

function isPassing({ status, code }: Failure): boolean {
  if (status === 429) return code !== LASTING;
  return status === null || status >= 500;
}

/** The seconds of a Retry-After header, given as seconds or as a date; null when it is absent or unreadable. `now` in Unix milliseconds. */
export function secondsOf(retryAfter: string | null, now: number): number | null {
  if (retryAfter === null) return null;
  if (/^\d{1,9}$/.test(retryAfter.trim())) return Number(retryAfter);
  // Date.parse accepts many formats that HTTP does not.
  const date = /\sGMT$/.test(retryAfter) ? Date.parse(retryAfter) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000));
}
