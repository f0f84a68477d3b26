'use client';
// The outcome of an attempt in a few words, and what the merchant should check.

import { useWords } from '@/components/ui/words';

export type OutcomeFacts = {
  readonly statusCode: number | null;
  /** A short code such as TIMEOUT; null when there was a response. */
  readonly error: string | null;
  readonly milliseconds: number | null;
};

/** `HTTP 401 · 12 ms`; null while there is neither response nor error. */
export function useOutcomeText(): (facts: OutcomeFacts) => string | null {
  const { t, format } = useWords();
  return ({ statusCode, error, milliseconds }) => {
    const what = statusCode === null ? error : `HTTP ${statusCode}`;
    if (what === null) return null;
    return milliseconds === null ? what : `${what} · ${t('dlvMilliseconds', { count: format.number(milliseconds) })}`;
  };
}

export type Hint =
  'auth' | 'missing' | 'gone' | 'redirect' | 'refused' | 'server' | 'timeout' | 'address' | 'unreachable';

/** What to check after a failed attempt; null for a successful or pending one. */
export function hintOf({ statusCode, error }: Pick<OutcomeFacts, 'statusCode' | 'error'>): Hint | null {
  if (statusCode !== null) return hintOfStatus(statusCode);
  if (error === null || error === 'INTERRUPTED') return null;
  if (error === 'TIMEOUT') return 'timeout';
  return error === 'ADDRESS_NOT_ALLOWED' ? 'address' : 'unreachable';
}

function hintOfStatus(status: number): Hint | null {
  if (status >= 200 && status < 300) return null;
  if (status === 401 || status === 403) return 'auth';
  if (status === 404) return 'missing';
  if (status === 410) return 'gone';
  if (status >= 300 && status < 400) return 'redirect';
  return status === 429 || status >= 500 ? 'server' : 'refused';
}
