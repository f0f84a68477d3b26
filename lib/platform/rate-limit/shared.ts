// Rate limits that all replicas keep together. Each lets requests through from buckets of its own memory, so that no request
// waits for another replica; once a second it exchanges with them through the database, beside the requests, what was used and
// what is asked for (lib/platform/rate-limit/replica-shares). A caller's rate and what is left of its burst then belong to the replicas in proportion to
// what is asked of each. What was let through too much or too little between two exchanges is made up for after the next,
// because the use of all is added up in one place.

import { LRUCache } from 'lru-cache';
import type { Pool } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';
import type { Log } from '@/lib/platform/log';
import type { RateLimit } from './token-bucket';
import { exchangeShares, forgetShares, type Heard, type Told } from './replica-shares';

/** Callers remembered at once; the longest unseen is forgotten first, which can only be generous. */
const MOST_CALLERS = 50_000;
const EXCHANGE_MILLISECONDS = 1000;
/** A replica that has to refuse asks the others sooner, but not more often than this. */
const HURRIED_MILLISECONDS = 100;
/** Callers in one exchange, those first that asked most. */
const MOST_TOLD = 1000;
/** Who asks for less than this part of an equal share is not spoken of; of all replicas together that is as much of the rate. */
const WORTH_TELLING = 0.05;
/** Nobody's share falls below this part of an equal one, so that a first request is not refused for want of a history. */
const LEAST_SHARE = 0.25;
const FORGET_MILLISECONDS = 60_000;
/** Speaks for the replica itself: all that have requests are counted by it. */
const ITSELF: Told = { caller: '', used: 0, most: 0, asked: 1 };

/** Whether a request may pass, and what the caller has left here. */
export type Taken = {
  /** 0 when it may pass, else whole seconds after which one will. */
  readonly wait: number;
  /** Requests that would pass at once now. */
  readonly remaining: number;
  /** Whole seconds until the whole burst is there again. */
  readonly reset: number;
};

export type SharedLimits<Name extends string> = {
  readonly policies: Readonly<Record<Name, RateLimit>>;
  /** Takes one token. `now` in Unix milliseconds. */
  take(policy: Name, caller: string, now: number): Taken;
  /** What taking one would say, without taking it. */
  look(policy: Name, caller: string, now: number): Taken;
  /** Resolves when no exchange is under way. */
  settled(): Promise<void>;
};

type Bucket = {
  readonly limit: RateLimit;
  tokens: number;
  at: number;
  /** The part of the caller's rate that is this replica's. */
  share: number;
  /** Since the last exchange. */
  asked: number;
  /** Let through and not told of. */
  used: number;
  /** Requests a second, smoothed over about a second; as it was told last. */
  demand: number;
};

type Options = {
  readonly log: Log;
  /** Null: the limits are this process's own. */
  readonly pool: Pick<Pool, 'query'> | null;
  /** Stands for the database's clock in tests. */
  readonly databaseNow?: () => number;
};

/** Opens a set of limits by name. The exchange is driven by requests: a process without any tells nothing. */
export function openSharedLimits<Name extends string>(
  { pool, log, databaseNow }: Options,
  policies: Readonly<Record<Name, RateLimit>>,
): SharedLimits<Name> {
  const replica = randomText();
  const buckets = new LRUCache<string, Bucket>({ max: MOST_CALLERS });
  /** Asked for since the last exchange, or told of in it. */
  let active = new Map<string, Bucket>();
  let replicas = 1;
  let [exchangedAt, forgottenAt] = [-Infinity, -Infinity];
  let underWay: Promise<void> | null = null;

  const bucketOf = (id: string, limit: RateLimit, now: number): Bucket => {
    const known = buckets.get(id);
    if (known) return refilled(known, now);
    const share = 1 / replicas;
    const made = { limit, tokens: depth(limit, share), at: now, share, asked: 0, used: 0, demand: 0 };
    buckets.set(id, made);
    return made;
  };

  const exchange = async (on: Pick<Pool, 'query'>, now: number): Promise<void> => {
    const seconds = Math.min(Math.max((now - exchangedAt) / 1000, HURRIED_MILLISECONDS / 1000), 2);
    const spoken = [...active].filter(([, bucket]) => measured(bucket, seconds, replicas));
    const told = new Map(spoken.toSorted(([, a], [, b]) => b.demand - a.demand).slice(0, MOST_TOLD));
    const words = [...told].map(([caller, bucket]) => wordOf(caller, bucket));
    for (const bucket of told.values()) bucket.used = 0;
    active = new Map([...told].filter(([, bucket]) => bucket.demand > 0));
    exchangedAt = now;
    try {
      const heard = await exchangeShares(on, replica, { told: [...words, ITSELF], now: databaseNow?.() ?? null });
      for (const one of heard) {
        const bucket = told.get(one.caller);
        if (one.caller === ITSELF.caller) replicas = 1 + Object.keys(one.others).length;
        else if (bucket) adopt(bucket, one, { sentAt: now, replicas });
      }
      if (now - forgottenAt >= FORGET_MILLISECONDS) {
        forgottenAt = now;
        await forgetShares(on);
      }
    } catch (error) {
      // Without the database each keeps the share that it has. What it tells next time is what its bucket is short of by then.
      log.warn({ err: error }, 'the use of rate limits could not be shared');
      for (const bucket of told.values()) bucket.used = Math.max(0, depth(bucket.limit, bucket.share) - bucket.tokens);
    }
  };

  const exchangeIfDue = (isRefusing: boolean, now: number): void => {
    if (underWay || !pool) return;
    const age = Math.abs(now - exchangedAt);
    const isDue = age >= EXCHANGE_MILLISECONDS || (isRefusing && replicas > 1 && age >= HURRIED_MILLISECONDS);
    if (isDue) underWay = exchange(pool, now).finally(() => (underWay = null));
  };

  return {
    policies,
    take(policy, caller, now) {
      const id = `${policy}:${caller}`;
      const bucket = bucketOf(id, policies[policy], now);
      bucket.asked += 1;
      // An exchange that never comes, or hangs, must not remember more callers than the buckets do.
      if (pool && active.size < MOST_CALLERS) active.set(id, bucket);
      const taken = read(bucket);
      if (taken.wait === 0) {
        bucket.tokens -= 1;
        bucket.used += 1;
      }
      exchangeIfDue(taken.wait > 0, now);
      return taken.wait === 0 ? read(bucket, { isTaken: true }) : taken;
    },
    look: (policy, caller, now) => read(bucketOf(`${policy}:${caller}`, policies[policy], now)),
    settled: () => underWay ?? Promise.resolve(),
  };
}

const perToken = ({ rate }: RateLimit): number => 1000 / rate;
/** Several replicas can each let a burst through before they know of each other; more than that nobody owes. */
const mostDebt = (limit: RateLimit): number => 4 * limit.burst * perToken(limit) + 10 * EXCHANGE_MILLISECONDS;
/** A share of the burst; always room for one request. */
const depth = ({ burst }: RateLimit, share: number): number => Math.max(1, burst * share);
const perMillisecond = ({ limit, share }: Bucket): number => (limit.rate * share) / 1000;

function refilled(bucket: Bucket, now: number): Bucket {
  const earned = Math.max(0, now - bucket.at) * perMillisecond(bucket);
  // What is above the depth already is no debt of anybody and stays until it is used.
  bucket.tokens = Math.max(bucket.tokens, Math.min(depth(bucket.limit, bucket.share), bucket.tokens + earned));
  // Also when the clock was set back: a bucket that waited for the old time to come again would be shut until then.
  bucket.at = now;
  return bucket;
}

function read(bucket: Bucket, { isTaken = false } = {}): Taken {
  const { tokens, limit, share } = bucket;
  const seconds = (missing: number): number => Math.max(0, Math.ceil(missing / perMillisecond(bucket) / 1000));
  return {
    wait: isTaken || tokens >= 1 ? 0 : Math.max(1, seconds(1 - tokens)),
    remaining: Math.max(0, Math.floor(tokens)),
    reset: seconds(depth(limit, share) - tokens),
  };
}

const wordOf = (caller: string, { limit, used, demand }: Bucket): Told => ({
  caller,
  used: used * perToken(limit),
  most: mostDebt(limit),
  asked: demand,
});

/** Brings the demand up to now, and says whether it is worth telling or was told of before. */
function measured(bucket: Bucket, seconds: number, replicas: number): boolean {
  const wasTold = bucket.demand > 0;
  const now = bucket.asked / seconds;
  const demand = wasTold ? bucket.demand + (now - bucket.demand) * Math.min(1, seconds) : now;
  bucket.asked = 0;
  const isMuch =
    demand >= (WORTH_TELLING * bucket.limit.rate) / replicas || bucket.used >= bucket.limit.burst / replicas / 4;
  bucket.demand = isMuch ? demand : 0;
  return isMuch || wasTold;
}

/** Takes over the share of the caller's rate, and of what is left of its burst, that is this replica's now. */
function adopt(bucket: Bucket, { untilFull, others }: Heard, at: { sentAt: number; replicas: number }): void {
  const elsewhere = Object.values(others).reduce((sum, [asked]) => sum + asked, 0);
  const fair = elsewhere === 0 ? 1 : bucket.demand / (bucket.demand + elsewhere);
  bucket.share = Math.max(fair, LEAST_SHARE / at.replicas);
  const left = bucket.limit.burst - Math.max(0, untilFull) / perToken(bucket.limit);
  bucket.tokens = left * bucket.share - bucket.used;
  bucket.at = at.sentAt;
}
