// Rate limits as token buckets in this process: `rate` requests a second on average, `burst` at once. Each caller needs one
// number: the time at which its bucket would be full again (the generic cell rate algorithm).

import { LRUCache } from 'lru-cache';

/** Callers remembered at once. The longest unseen is forgotten first, which can only favour the caller. */
const MAX_CALLERS = 50_000;

export type RateLimit = { readonly rate: number; readonly burst: number };

/** Takes one token. Returns 0 when the request may pass, else the whole seconds until one will. */
export type TakeToken = (caller: string, nowMilliseconds: number) => number;

export function openRateLimit({ rate, burst }: RateLimit): TakeToken {
  const perToken = 1000 / rate;
  const depth = burst * perToken;
  const fullAt = new LRUCache<string, number>({ max: MAX_CALLERS });
  return (caller, now) => {
    const next = Math.max(fullAt.get(caller) ?? 0, now) + perToken;
    const wait = next - depth - now;
    if (wait > 0) return Math.ceil(wait / 1000);
    fullAt.set(caller, next);
    return 0;
  };
}
