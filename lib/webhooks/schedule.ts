// What follows an attempt, as one pure function (spec: Retries and idempotency). The schedule is a list; everything that needs to
// know it reads it here.

/** Seconds from each failure to the next attempt. */
export const RETRY_SECONDS = [1, 2, 4, 8, 16] as const;
/** The first attempt and its retries. */
export const MOST_ATTEMPTS = RETRY_SECONDS.length + 1;

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
export function next(attempts: number, outcome: Outcome): Next {
  if (outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300) return { status: 'delivered' };
  const retryAfterSeconds = RETRY_SECONDS[attempts - 1];
  return isRetried(outcome) && retryAfterSeconds !== undefined
    ? { status: 'pending', retryAfterSeconds }
    : { status: 'failed' };
}

/** Network errors, timeouts, 429 and 5xx; nothing else, redirects included (decisions: Webhooks). */
function isRetried(outcome: Outcome): boolean {
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
