// The request budget of one endpoint, shared by all its clients in this process: calls per request, the limit per second, and the
// rest of the day. Storing the usage also reports other processes' use of the day (lib/installation/status/record-usage). Days
// are UTC days.

import { setTimeout as pause } from 'node:timers/promises';
import { systemClock, type Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import { ChainError } from '@/lib/networks/chain';
import { openPacing, type Wait } from './pacing';
import { NO_LIMITS, type RequestLimits } from './request-limits';

/** Number of calls and their cost in the plan's units on one UTC day. */
type Usage = { readonly day: string; readonly calls: number; readonly units: number };

/**
 * The purpose of a request. Requests that read payments have none here: they may use the whole budget. `service`: refunds, fees
 * and the rolling comparison of the ledger. `proof`: balances of sessions that end or have ended; a store causes these by opening
 * sessions. `anonymous`: requests that any page visitor can cause.
 */
export type Purpose = 'service' | 'proof' | 'anonymous';

type Share = {
  /** The part of the day's remainder that it leaves untouched, and its purpose. */
  readonly leaves: number;
  readonly reservedFor: string;
  /** Its part of the limit per second. */
  readonly second: number;
  /** The part of a day that this process may use, spread evenly; null: only `leaves` bounds it. */
  readonly day: number | null;
};

/** Proofs leave a fifth of the day's remainder and half of each second to refunds, however many sessions a store opens. */
const SHARES: Record<Purpose, Share> = {
  service: { leaves: 0.6, reservedFor: 'reading payments', second: 1, day: null },
  proof: { leaves: 0.8, reservedFor: 'reading payments and refunds', second: 0.5, day: null },
  anonymous: { leaves: 0.6, reservedFor: 'reading payments', second: 1, day: 0.05 },
};

export type RequestBudget = {
  readonly limits: RequestLimits;
  /** How many calls one request may hold. */
  readonly batch: number;
  /** Records that the endpoint refused this number of calls in one request. */
  refusedBatch(calls: number): void;
  /** Counts the calls of one request and waits for its turn. Throws a ChainError if the day's budget does not cover them. */
  take(methods: readonly string[]): Promise<void>;
  /** The same budget for requests other than reading payments: it refuses requests that would take the watcher's share. */
  shareOf(purpose: Purpose): RequestBudget;
  /** The units used today by all processes, as far as this process knows. */
  usedToday(): number;
  /** Hands over the usage that is not stored yet; the caller stores it or gives it back. */
  takeUnstored(): readonly Usage[];
  returnUsage(usage: readonly Usage[]): void;
  /** The units of a day that all processes together have stored. */
  noteStored(day: string, units: number): void;
};

export type BudgetOptions = {
  /** "endpoint 2": safe to show. */
  readonly name: string;
  readonly limits?: RequestLimits;
  readonly clock?: Clock;
  readonly log?: Log | undefined;
  readonly wait?: Wait | undefined;
  /** Gets the number of calls of every request that was allowed. */
  readonly onCalls?: (calls: number) => void;
};

/** Providers cap batches between 1 and 1,000; no single request of ours needs more than this. A refusal lowers it. */
const BATCH_START = 10;
const DAY_MS = 86_400_000;
/** An evenly spread share of the day allows an hour's worth at once. */
const AT_ONCE = 1 / 24;
/** The day's remainder beyond a share grows slowly, so a refused request may retry after this long. */
const RETRY_SECONDS = 60;

export const utcDay = (now: Date): string => now.toISOString().slice(0, 10);

/** Milliseconds until the next UTC day. */
export const untilNextDay = (now: Date): number => DAY_MS - (now.getTime() % DAY_MS);

export function openRequestBudget({
  name,
  limits = NO_LIMITS,
  clock = systemClock,
  log,
  wait = (milliseconds) => pause(milliseconds),
  onCalls = () => {},
}: BudgetOptions): RequestBudget {
  const { perSecond, perDay, weights } = limits;
  const turn = perSecond === null ? null : openPacing({ perSecond, clock, wait });
  // Providers count every call of a batch as a request, so a batch may not exceed the limit per second.
  let batch = Math.max(1, Math.min(limits.batch ?? BATCH_START, Math.floor(perSecond ?? BATCH_START)));
  let stored = { day: utcDay(clock.now()), units: 0 };
  const unstored = new Map<string, { calls: number; units: number }>();
  const add = ({ day, calls, units }: Usage) => {
    const known = unstored.get(day);
    unstored.set(day, { calls: (known?.calls ?? 0) + calls, units: (known?.units ?? 0) + units });
  };
  const usedToday = (): number => {
    const day = utcDay(clock.now());
    return (stored.day === day ? stored.units : 0) + (unstored.get(day)?.units ?? 0);
  };

  const unitsOf = (methods: readonly string[]) => methods.reduce((sum, method) => sum + (weights.get(method) ?? 1), 0);

  /** Waits for the purpose's own turn. Throws a ChainError if its share of the day does not cover the units. */
  const openShare = (purpose: Purpose) => {
    const share = SHARES[purpose];
    const isSlower = perSecond !== null && share.second < 1;
    const ownTurn = isSlower ? openPacing({ perSecond: perSecond * share.second, clock, wait }) : null;
    const takeSpread = perDay !== null && share.day !== null ? openSpread(perDay * share.day, name, clock) : null;
    return async (units: number): Promise<void> => {
      await ownTurn?.(units);
      if (perDay === null) return;
      const left = perDay - usedToday() - units;
      if (left < (perDay * share.leaves * untilNextDay(clock.now())) / DAY_MS) {
        refuse(`${name} reserves the rest of its day for ${share.reservedFor}`, RETRY_SECONDS);
      }
      takeSpread?.(units);
    };
  };
  const shares = { service: openShare('service'), proof: openShare('proof'), anonymous: openShare('anonymous') };

  const budget: RequestBudget = {
    limits,
    shareOf: (purpose) => ({
      ...budget,
      get batch() {
        return batch;
      },
      async take(methods) {
        await shares[purpose](unitsOf(methods));
        await budget.take(methods);
      },
    }),
    get batch() {
      return batch;
    },
    refusedBatch(calls) {
      const smaller = Math.max(1, Math.floor(calls / 2));
      if (smaller >= batch) return;
      batch = smaller;
      log?.info(
        { endpoint: name, batch },
        `${name} refused ${calls} calls in one request and gets ${batch} from now on`,
      );
    },
    async take(methods) {
      const now = clock.now();
      const units = unitsOf(methods);
      if (perDay !== null && usedToday() + units > perDay) {
        const retryAfterSeconds = Math.ceil(untilNextDay(now) / 1000);
        const message = `${name} has used up the ${perDay} requests of its day (the BUDGETS setting of the network)`;
        throw new ChainError('unavailable', message, { retryAfterSeconds, throttled: true });
      }
      add({ day: utcDay(now), calls: methods.length, units });
      onCalls(methods.length);
      await turn?.(units);
    },
    usedToday,
    takeUnstored() {
      const usage = [...unstored].map(([day, counts]) => ({ day, ...counts }));
      unstored.clear();
      return usage;
    },
    returnUsage(usage) {
      for (const one of usage) add(one);
    },
    noteStored(day, units) {
      if (day >= stored.day) stored = { day, units };
    },
  };
  return budget;
}

/** Spreads requests evenly over a day, at most an hour's worth at once. Throws a ChainError if too little is left. */
function openSpread(perDay: number, name: string, clock: Clock) {
  const most = perDay * AT_ONCE;
  let known = { left: most, at: clock.now().getTime() };
  return (units: number): void => {
    const now = clock.now().getTime();
    const left = Math.min(most, known.left + (Math.max(0, now - known.at) * perDay) / DAY_MS);
    if (left < Math.min(units, most)) {
      const seconds = Math.ceil(((units - left) * DAY_MS) / perDay / 1000);
      refuse(`${name} has no requests left for visitors at present`, seconds);
    }
    known = { left: left - units, at: now };
  };
}

function refuse(message: string, retryAfterSeconds: number): never {
  throw new ChainError('unavailable', message, { retryAfterSeconds, throttled: true, demotes: false });
}
