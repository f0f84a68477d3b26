// Rate limits that all replicas enforce together. Each replica lets requests through from buckets in its own memory, so that no
// request waits for another replica. Once a second, beside the requests, it exchanges usage and demand with the others through
// the database (lib/platform/rate-limit/replica-shares). The replicas then split a caller's rate and its remaining burst in
// proportion to their demand. The next exchange corrects what was let through too much or too little meanwhile, because one
// place adds up the use of all.

import { LRUCache } from 'lru-cache';
import type { Pool } from '@/lib/platform/database/db';
import { randomText } from '@/lib/platform/ids';
import type { Log } from '@/lib/platform/log';
import type { RateLimit } from './token-bucket';
import { exchangeShares, forgetShares, type SharedUsage, type UsageReport } from './replica-shares';

/** Callers remembered at once. The longest unseen is forgotten first, which can only favour the caller. */
const MAX_CALLERS = 50_000;
const EXCHANGE_MILLISECONDS = 1000;
/** A replica that has to refuse exchanges sooner, but not more often than this. */
const HURRIED_MILLISECONDS = 100;
/** Callers in one exchange, those with the highest demand first. */
const MAX_REPORTED = 1000;
/**
 * A caller below this part of an equal share is not reported. The unreported use of all replicas together is at most this part
 * of the rate.
 */
const WORTH_REPORTING = 0.05;
/** No replica's share falls below this part of an equal one, so that a first request is not refused for lack of history. */
const LEAST_SHARE = 0.25;
const FORGET_MILLISECONDS = 60_000;
/** The replica's own entry: every replica with requests counts the others by it. */
const ITSELF: UsageReport = { caller: '', used: 0, most: 0, requested: 1 };

/** Whether a request may pass, and what the caller has left here. */
export type Taken = {
  /** 0 when it may pass, else whole seconds after which one will. */
  readonly wait: number;
  /** Requests that would pass at once now. */
  readonly remaining: number;
  /** Whole seconds until the whole burst is available again. */
  readonly reset: number;
};

export type SharedLimits<Name extends string> = {
  readonly policies: Readonly<Record<Name, RateLimit>>;
  /** Takes one token. `now` in Unix milliseconds. */
  take(policy: Name, caller: string, now: number): Taken;
  /** What `take` would return, without taking a token. */
  peek(policy: Name, caller: string, now: number): Taken;
  /** Resolves when no exchange is under way. */
  settled(): Promise<void>;
};

type Bucket = {
  readonly limit: RateLimit;
  tokens: number;
  at: number;
  /** This replica's part of the caller's rate. */
  share: number;
  /** Requests since the last exchange. */
  requests: number;
  /** Requests let through and not reported yet. */
  used: number;
  /** A report was lost: the next one has by how much the bucket is short then. */
  isReportLost: boolean;
  /** Requests a second, smoothed over about a second, as last reported. */
  demand: number;
};

type Options = {
  readonly log: Log;
  /** Null: the limits apply to this process alone. */
  readonly pool: Pick<Pool, 'query'> | null;
  /** Replaces the database's clock in tests. */
  readonly databaseNow?: () => number;
};

/** Opens a set of limits by name. Requests drive the exchange: a process without requests reports nothing. */
export function openSharedLimits<Name extends string>(
  { pool, log, databaseNow }: Options,
  policies: Readonly<Record<Name, RateLimit>>,
): SharedLimits<Name> {
  const replica = randomText();
  const buckets = new LRUCache<string, Bucket>({ max: MAX_CALLERS });
  /** Callers with requests since the last exchange, or reported in it. */
  let active = new Map<string, Bucket>();
  let replicas = 1;
  let [exchangedAt, forgottenAt] = [-Infinity, -Infinity];
  let underWay: Promise<void> | null = null;

  const bucketOf = (id: string, limit: RateLimit, now: number): Bucket => {
    const known = buckets.get(id);
    if (known) return refilled(known, now);
    const share = 1 / replicas;
    const made = {
      ...{ limit, tokens: depth(limit, share), at: now, share },
      ...{ requests: 0, used: 0, isReportLost: false, demand: 0 },
    };
    buckets.set(id, made);
    return made;
  };

  const exchange = async (on: Pick<Pool, 'query'>, now: number): Promise<void> => {
    const seconds = Math.min(Math.max((now - exchangedAt) / 1000, HURRIED_MILLISECONDS / 1000), 2);
    for (const bucket of active.values()) if (bucket.isReportLost) countAgain(bucket, now);
    const relevant = [...active].filter(([, bucket]) => measured(bucket, seconds, replicas));
    const reported = new Map(relevant.toSorted(([, a], [, b]) => b.demand - a.demand).slice(0, MAX_REPORTED));
    const reports = [...reported].map(([caller, bucket]) => reportOf(caller, bucket));
    for (const bucket of reported.values()) bucket.used = 0;
    active = new Map([...reported].filter(([, bucket]) => bucket.demand > 0));
    exchangedAt = now;
    try {
      const shared = await exchangeShares(on, replica, { reports: [...reports, ITSELF], now: databaseNow?.() ?? null });
      for (const one of shared) {
        const bucket = reported.get(one.caller);
        if (one.caller === ITSELF.caller) replicas = 1 + Object.keys(one.others).length;
        else if (bucket) adopt(bucket, one, { sentAt: now, replicas });
      }
      // Their use has arrived, even if the deletion fails.
      reported.clear();
      if (now - forgottenAt >= FORGET_MILLISECONDS) {
        forgottenAt = now;
        await forgetShares(on);
      }
    } catch (error) {
      // Without the database each replica keeps its share.
      log.warn({ err: error }, 'the use of rate limits could not be shared');
      for (const bucket of reported.values()) bucket.isReportLost = true;
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
      bucket.requests += 1;
      // Bounds the memory when an exchange never comes or hangs.
      if (pool && active.size < MAX_CALLERS) active.set(id, bucket);
      const taken = read(bucket);
      if (taken.wait === 0) {
        bucket.tokens -= 1;
        bucket.used += 1;
      }
      exchangeIfDue(taken.wait > 0, now);
      return taken.wait === 0 ? read(bucket, { isTaken: true }) : taken;
    },
    peek: (policy, caller, now) => read(bucketOf(`${policy}:${caller}`, policies[policy], now)),
    settled: () => underWay ?? Promise.resolve(),
  };
}

const perToken = ({ rate }: RateLimit): number => 1000 / rate;
/** Several replicas can each let a burst through before they know of each other. A caller never owes more than that. */
const mostDebt = (limit: RateLimit): number => 4 * limit.burst * perToken(limit) + 10 * EXCHANGE_MILLISECONDS;
/** A share of the burst; always room for one request. */
const depth = ({ burst }: RateLimit, share: number): number => Math.max(1, burst * share);
const perMillisecond = ({ limit, share }: Bucket): number => (limit.rate * share) / 1000;

function refilled(bucket: Bucket, now: number): Bucket {
  const earned = Math.max(0, now - bucket.at) * perMillisecond(bucket);
  // Tokens above the depth are no debt and stay until they are used.
  bucket.tokens = Math.max(bucket.tokens, Math.min(depth(bucket.limit, bucket.share), bucket.tokens + earned));
  // Also when the clock was set back: otherwise the bucket would stay closed until the old time comes again.
  bucket.at = now;
  return bucket;
}

/** What the rate has paid back since the report was lost is not reported: the others would refuse the caller for it. */
function countAgain(bucket: Bucket, now: number): void {
  const { tokens, limit, share } = refilled(bucket, now);
  bucket.used = Math.max(0, depth(limit, share) - tokens);
  bucket.isReportLost = false;
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

const reportOf = (caller: string, { limit, used, demand }: Bucket): UsageReport => ({
  caller,
  used: used * perToken(limit),
  most: mostDebt(limit),
  requested: demand,
});

/** Updates the demand and returns whether to report it: it is large enough, or was reported before. */
function measured(bucket: Bucket, seconds: number, replicas: number): boolean {
  const wasReported = bucket.demand > 0;
  const now = bucket.requests / seconds;
  const demand = wasReported ? bucket.demand + (now - bucket.demand) * Math.min(1, seconds) : now;
  bucket.requests = 0;
  const isMuch =
    demand >= (WORTH_REPORTING * bucket.limit.rate) / replicas || bucket.used >= bucket.limit.burst / replicas / 4;
  bucket.demand = isMuch ? demand : 0;
  return isMuch || wasReported;
}

/** Adopts this replica's current share of the caller's rate and of its remaining burst. */
function adopt(bucket: Bucket, { untilFull, others }: SharedUsage, at: { sentAt: number; replicas: number }): void {
  const elsewhere = Object.values(others).reduce((sum, [requested]) => sum + requested, 0);
  const fair = elsewhere === 0 ? 1 : bucket.demand / (bucket.demand + elsewhere);
  bucket.share = Math.max(fair, LEAST_SHARE / at.replicas);
  const left = bucket.limit.burst - Math.max(0, untilFull) / perToken(bucket.limit);
  bucket.tokens = left * bucket.share - bucket.used;
  bucket.at = at.sentAt;
}
