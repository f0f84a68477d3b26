// The budget of one endpoint, shared by every client of it in this process: how many calls it takes in one request, its turn
// within the limit per second, and what is left of its day. Other processes' use of the day is learned whenever the usage is
// stored (lib/installation/status/record-usage). Days are UTC days.

import { setTimeout as pause } from 'node:timers/promises';
import { systemClock, type Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import { ChainError } from '@/lib/networks/chain';
import { openPacing, type Wait } from './pacing';
import { NO_LIMITS, type RequestLimits } from './request-limits';

/** Calls and their cost in the plan's units on one UTC day. */
export type Usage = { readonly day: string; readonly calls: number; readonly units: number };

/**
 * What requests are for. Requests that read payments have no purpose here: they may use the whole budget. `service`: refunds, fees
 * and the rolling comparison of the ledger. `proof`: balances of sessions that end or have ended, which a store causes by opening
 * sessions. `anonymous`: what any visitor of a page can cause.
 */
export type Purpose = 'service' | 'proof' | 'anonymous';

type Share = {
  /** The part of the rest of the day that it leaves untouched, and what for. */
  readonly leaves: number;
  readonly keptFor: string;
  /** The part of the limit per second. */
  readonly second: number;
  /** The part of a day that this process may use, spread evenly over it; null: only `leaves` bounds it. */
  readonly day: number | null;
};

/** Proofs leave refunds a fifth of the rest of the day and half of each second, however many sessions a store opens. */
const SHARES: Record<Purpose, Share> = {
  service: { leaves: 0.6, keptFor: 'reading payments', second: 1, day: null },
  proof: { leaves: 0.8, keptFor: 'reading payments and refunds', second: 0.5, day: null },
  anonymous: { leaves: 0.6, keptFor: 'reading payments', second: 1, day: 0.05 },
};

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
/** A share of the day that is spread evenly allows an hour's worth at once. */
const AT_ONCE = 1 / 24;
/** What is left of a day beyond a share grows slowly; a refused request is worth another try after so long. */
const AGAIN_SECONDS = 60;

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

  const unitsOf = (methods: readonly string[]) => methods.reduce((sum, method) => sum + (weights.get(method) ?? 1), 0);

  /** Waits for the purpose's own turn, and throws a ChainError when its share of the day does not cover the units. */
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
        refuse(`${name} keeps what is left of its day for ${share.keptFor}`, AGAIN_SECONDS);
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

/** What requests take that are spread evenly over a day, an hour's worth at once. Throws a ChainError when too little is left. */
function openSpread(perDay: number, name: string, clock: Clock) {
  const most = perDay * AT_ONCE;
  let known = { left: most, at: clock.now().getTime() };
  return (units: number): void => {
    const now = clock.now().getTime();
    const left = Math.min(most, known.left + (Math.max(0, now - known.at) * perDay) / DAY_MS);
    if (left < Math.min(units, most)) {
      const seconds = Math.ceil(((units - left) * DAY_MS) / perDay / 1000);
      refuse(`${name} was asked too often on behalf of visitors`, seconds);
    }
    known = { left: left - units, at: now };
  };
}

function refuse(message: string, retryAfterSeconds: number): never {
  throw new ChainError('unavailable', message, { retryAfterSeconds, throttled: true, demotes: false });
}
