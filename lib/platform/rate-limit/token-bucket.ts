// Rate limits as token buckets in this process: `rate` requests a second on average, `burst` at once.

import { LRUCache } from 'lru-cache';

/** Callers remembered at once. The longest unseen is forgotten first, which can only favour the caller. */
const MAX_CALLERS = 50_000;
/** Tokens come back in fractions. What they lack of a whole one by rounding is no reason to refuse. */
const ROUNDING = 1e-9;

export type RateLimit = { readonly rate: number; readonly burst: number };

/** Whether a request may pass, and what the caller has left. */
export type Taken = {
  /** 0 when it may pass, else whole seconds after which one will. */
  readonly wait: number;
  /** Requests that would pass at once now. */
  readonly remaining: number;
  /** Whole seconds until the whole burst is available again. */
  readonly reset: number;
};

/** The buckets of all callers of one limit. `now` in Unix milliseconds. */
export type TokenBuckets = {
  readonly take: (caller: string, now: number) => Taken;
  /** What `take` would return, without taking a token. */
  readonly peek: (caller: string, now: number) => Taken;
  /** Sets what a caller has left, as it was counted elsewhere. */
  readonly set: (caller: string, remaining: number, now: number) => void;
};

type Bucket = { tokens: number; at: number };

export function openTokenBuckets({ rate, burst }: RateLimit): TokenBuckets {
  const buckets = new LRUCache<string, Bucket>({ max: MAX_CALLERS });
  const bucketOf = (caller: string, now: number): Bucket => {
    const bucket = buckets.get(caller) ?? { tokens: burst, at: now };
    bucket.tokens = Math.min(burst, bucket.tokens + (Math.max(0, now - bucket.at) * rate) / 1000);
    // Also when the clock was set back: otherwise the bucket would stay closed until the old time comes again.
    bucket.at = now;
    return bucket;
  };
  const read = ({ tokens }: Bucket, isTaken = false): Taken => ({
    wait: isTaken || tokens >= 1 - ROUNDING ? 0 : Math.max(1, Math.ceil((1 - tokens) / rate)),
    remaining: Math.max(0, Math.floor(tokens + ROUNDING)),
    reset: Math.ceil((burst - tokens) / rate),
  });
  return {
    take(caller, now) {
      const bucket = bucketOf(caller, now);
      buckets.set(caller, bucket);
      const taken = read(bucket);
      if (taken.wait > 0) return taken;
      bucket.tokens -= 1;
      return read(bucket, true);
    },
    peek: (caller, now) => read(bucketOf(caller, now)),
    set: (caller, remaining, now) => void buckets.set(caller, { tokens: remaining, at: now }),
  };
}

/** Takes one token. Returns 0 when the request may pass, else the whole seconds until one will. */
export type TakeToken = (caller: string, nowMilliseconds: number) => number;

export function openRateLimit(limit: RateLimit): TakeToken {
  const { take } = openTokenBuckets(limit);
  return (caller, now) => take(caller, now).wait;
}
