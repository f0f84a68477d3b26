// The budget of one endpoint, shared by every client of it in this process: how many calls it takes in one request, its turn
// within the limit per second, and what is left of its day. Other processes' use of the day is learned whenever the usage is
// stored (lib/status/record-usage). Days are UTC days.

import { setTimeout as pause } from 'node:timers/promises';
import { systemClock, type Clock } from '@/lib/clock';
import type { Log } from '@/lib/log';
import { ChainError } from './chain';
import { openPacing, type Wait } from './pacing';
import { NO_LIMITS, type RequestLimits } from './request-limits';

/** Calls and their cost in the plan's units on one UTC day. */
export type Usage = { readonly day: string; readonly calls: number; readonly units: number };

/**
 * What requests are for. Reading payments may use the whole day. `service`: refunds, fees and comparisons of balances, which leave
 * the watcher its share. `anonymous`: what any visitor of a page can cause; it has a small share of its own.
 */
export type Purpose = 'service' | 'anonymous';

export type RequestBudget = {
  readonly limits: RequestLimits;
  /** How many calls one request may hold. */
  readonly batch: number;
  /** Remembers that the endpoint refused so many calls in one request. */
  refusedBatch(calls: number): void;
  /** Counts the calls of one request and waits for its turn. Throws a ChainError when the day's budget does not cover them. */
  take(methods: readonly string[]): Promise<void>;
  /** The same budget for other requests than reading payments: it refuses what would take the watcher's share. */
  shareOf(purpose: Purpose): RequestBudget;
  /** What all processes used today, as far as this one knows. */
  usedToday(): number;
  /** Hands over what is not stored yet; the caller stores it or gives it back. */
  takeUnstored(): readonly Usage[];
  giveBack(usage: readonly Usage[]): void;
  /** What all processes together have stored of a day. */
  noteStored(day: string, units: number): void;
};

export type BudgetOptions = {
  /** "endpoint 2": safe to show. */
  readonly name: string;
  readonly limits?: RequestLimits;
  readonly clock?: Clock;
  readonly log?: Log | undefined;
  readonly wait?: Wait | undefined;
};

/** Providers cap batches between 1 and 1,000; no single request of ours needs more than this. Lowered when it is refused. */
const BATCH_START = 10;
const DAY_MS = 86_400_000;
/** Of what is left of a day this share of its budget is kept for reading payments. */
const KEPT_FOR_PAYMENTS = 0.6;
/** What visitors can cause in a day, and at once: an hour's worth. Each process counts its own. */
const ANONYMOUS_SHARE = 0.05;
const ANONYMOUS_AT_ONCE = 1 / 24;

export const utcDay = (now: Date): string => now.toISOString().slice(0, 10);

/** Milliseconds until the next UTC day. */
export const untilNextDay = (now: Date): number => DAY_MS - (now.getTime() % DAY_MS);

export function openRequestBudget({
  name,
  limits = NO_LIMITS,
  clock = systemClock,
  log,
  wait = (milliseconds) => pause(milliseconds),
}: BudgetOptions): RequestBudget {
  const { perSecond, perDay, weights } = limits;
  const turn = perSecond === null ? null : openPacing({ perSecond, clock, wait });
  // A batch counts as many requests as it holds calls, so it may not hold more than a second's worth.
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

  /** Units that anonymous requests have left; filled evenly over the day. */
  const most = (perDay ?? 0) * ANONYMOUS_SHARE * ANONYMOUS_AT_ONCE;
  let anonymous = { left: most, at: clock.now().getTime() };
  const checkShare = (purpose: Purpose, units: number, now: Date) => {
    if (perDay === null) return;
    const kept = (perDay * KEPT_FOR_PAYMENTS * untilNextDay(now)) / DAY_MS;
    if (perDay - usedToday() - units < kept) refuse(`${name} keeps what is left of its day for reading payments`, 60);
    if (purpose !== 'anonymous') return;
    const rate = (perDay * ANONYMOUS_SHARE) / DAY_MS;
    const left = Math.min(most, anonymous.left + Math.max(0, now.getTime() - anonymous.at) * rate);
    if (left < Math.min(units, most)) {
      const seconds = Math.ceil((units - left) / rate / 1000);
      refuse(`${name} was asked too often on behalf of visitors`, seconds);
    }
    anonymous = { left: left - units, at: now.getTime() };
  };
  const unitsOf = (methods: readonly string[]) => methods.reduce((sum, method) => sum + (weights.get(method) ?? 1), 0);

  const budget: RequestBudget = {
    limits,
    shareOf: (purpose) => ({
      ...budget,
      get batch() {
        return batch;
      },
      async take(methods) {
        checkShare(purpose, unitsOf(methods), clock.now());
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
      await turn?.(units);
    },
    usedToday,
    takeUnstored() {
      const usage = [...unstored].map(([day, counts]) => ({ day, ...counts }));
      unstored.clear();
      return usage;
    },
    giveBack(usage) {
      for (const one of usage) add(one);
    },
    noteStored(day, units) {
      if (day >= stored.day) stored = { day, units };
    },
  };
  return budget;
}

function refuse(message: string, retryAfterSeconds: number): never {
  throw new ChainError('unavailable', message, { retryAfterSeconds, throttled: true, demotes: false });
}
