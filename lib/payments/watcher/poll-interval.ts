// When a chain is scanned next, so that its scans fit the plans of its endpoints and nobody waits for a payment. With an open
// session that offers the network, about as often as it makes blocks; without one rarely, until a session opens (chain-row,
// leaseChain). When a day's budget runs low, only as often as it lasts. Local chains cost nothing and have no pace. Pure.

import type { Head, NetworkFamily } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { untilNextDay, type RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { IDLE_SCAN_MS } from '@/lib/networks/endpoints/request-limits';

/**
 * Where blocks come more often, a busy network is scanned so often. Half of it is how late a new final block is noticed at the median:
 * with the scan itself at most a second and a half. A scan of Solana costs twice as many requests as one of BSC.
 */
const BUSY_MS: Record<NetworkFamily, number> = { evm: 2000, tron: 2000, solana: 2400 };
/** Shorter than the minute of silence after which a network with open sessions is not offered (sessions/create-statement). */
const SLOWEST_BUSY_MS = 45_000;
/** A chain that cannot be read is tried again so soon. */
const TROUBLE_MS = 5000;
/** A block is there so long after its time at the quickest endpoints; how long at those in use is learned. */
const ARRIVAL_MS = 800;
/** A block that is later than this is missing, and says nothing about the endpoint. */
const MISSING_MS = 4000;
/** How much longer is waited after a block came late, and how much of that is given up with each one in time. */
const ARRIVAL_STEP_MS = 500;
const ARRIVAL_DECAY_MS = 20;
/** What is left of a day's budget is planned with, less a tenth for whatever else needs requests. */
const PLANNED_SHARE = 0.9;
/**
 * On EVM networks an idle scan ends so many blocks below finality: nodes that lag have those blocks by then, so the scan needs no
 * second reading (window.ts).
 */
export const IDLE_BEHIND_BLOCKS = 16;
/** So near to finality, what is shown above it would be final by the next scan. */
const NEAR_BLOCKS = 4;

/**
 * Final blocks are scanned once in so many blocks where no known transfer waits to be credited. On Solana each scan reads accounts,
 * however few blocks are new; fifty blocks take about twenty seconds. On TRON nearly every transfer is known a minute before its
 * block becomes final, and ten blocks take thirty seconds.
 */
const SCANNED_EVERY_BLOCKS: Record<NetworkFamily, number> = { evm: 1, tron: 10, solana: 50 };

/**
 * On TRON, which takes a minute to finality, unconfirmed transfers are read so often. With nine seconds, everything that an installation
 * asks on a busy day would not fit the 60,000 requests that TronGrid's free plan leaves it.
 */
const UNCONFIRMED_MS = 12_000;
/** A block that should have become final, and has not, is asked for again so soon. */
const LATE_MS = 1000;

export type ScanResult = {
  /** Null when it could not be read. */
  readonly head: Head | null;
  readonly isOpen: boolean;
  /** The next block that holds a known transfer and is not final; null when there is none. */
  readonly awaited: number | null;
  /** How long after its time a block can be read. */
  readonly arrivalMs: number;
  readonly trouble: string | null;
  /** What is left of the day's budgets and what one scan costs of it; null without a limit. */
  readonly budget: { readonly left: number; readonly perScan: number } | null;
  readonly now: Date;
};

/** When the chain is due again; null: whenever somebody looks. */
export function nextScanAt(
  spec: NetworkSpec,
  { head, isOpen, trouble, budget, now, ...rest }: ScanResult,
): Date | null {
  if (spec.chain === 'local') return null;
  const untilNext = spec.family === 'tron' ? untilFinal : untilNextBlock;
  const usual =
    trouble !== null || !head ? TROUBLE_MS : isOpen ? untilNext(spec, { ...rest, head, now }) : IDLE_SCAN_MS;
  return new Date(now.getTime() + Math.max(usual, isOpen && budget ? affordable(budget, now) : 0));
}

type Waiting = Pick<ScanResult, 'awaited' | 'arrivalMs' | 'now'> & { readonly head: Head };

/** Until the awaited block should be final. Finality moves by one block with each new one, as it does on TRON. */
function untilFinal({ blockMs }: NetworkSpec, { head: { tip, final }, awaited, arrivalMs, now }: Waiting): number {
  if (awaited === null) return UNCONFIRMED_MS;
  const expected = tip.time * 1000 + (awaited - final.number) * blockMs + arrivalMs - now.getTime();
  return Math.min(UNCONFIRMED_MS, expected > 0 ? expected : LATE_MS);
}

/** Until the next block should be there; soon again when it is late. Where blocks are quick, until the next scan is worth it. */
function untilNextBlock(
  { blockMs, family }: NetworkSpec,
  { head: { tip, final }, awaited, arrivalMs, now }: Waiting,
): number {
  const busy = BUSY_MS[family];
  if (blockMs <= busy) {
    const blocks = awaited === null ? Number.POSITIVE_INFINITY : awaited - final.number;
    return Math.min(busy, Math.max(LATE_MS, blocks * blockMs));
  }
  const expected = tip.time * 1000 + blockMs + arrivalMs - now.getTime();
  if (expected > 0) return Math.min(expected, blockMs);
  return expected > -MISSING_MS ? LATE_MS : busy;
}

/** Learns how long after its time a block can be read at the endpoints in use, so that most scans find one block more. */
export function openArrival({ blockMs }: NetworkSpec) {
  let arrivalMs = ARRIVAL_MS;
  let last: number | null = null;
  return {
    /** The delay to reckon with after a scan that found this newest block. */
    after({ tip }: Head, now: Date): number {
      const late = now.getTime() - tip.time * 1000 - blockMs;
      if (tip.number !== last) arrivalMs = Math.max(ARRIVAL_MS, arrivalMs - ARRIVAL_DECAY_MS);
      else if (late > 0 && late < MISSING_MS) arrivalMs = Math.max(arrivalMs, late + ARRIVAL_STEP_MS);
      last = tip.number;
      return arrivalMs;
    },
  };
}

/** The pause with which the rest of the budget lasts for the rest of the day, within what keeps the network on offer. */
function affordable({ left, perScan }: { left: number; perScan: number }, now: Date): number {
  const scans = (left * PLANNED_SHARE) / Math.max(1, perScan);
  return Math.min(SLOWEST_BUSY_MS, scans > 0 ? untilNextDay(now) / scans : SLOWEST_BUSY_MS);
}

/** Whether unconfirmed transfers are worth reading: somebody waits, and finality is not there in a moment anyway. */
export const showsUnconfirmed = (spec: NetworkSpec, head: Head, isOpen: boolean): boolean =>
  spec.chain === 'local' || (isOpen && head.tip.number - head.final.number > NEAR_BLOCKS);

/** Whether enough blocks became final since the last scan of them, although no known transfer waits for it. */
export const isFinalScanDue = (spec: NetworkSpec, after: number, { final }: Head): boolean =>
  spec.chain === 'local' || final.number - after >= SCANNED_EVERY_BLOCKS[spec.family];

/** How far the scan of final blocks goes. */
export function lastFinal(spec: NetworkSpec, { final }: Head, isOpen: boolean): number {
  return isOpen || spec.chain === 'local' || spec.family !== 'evm' ? final.number : final.number - IDLE_BEHIND_BLOCKS;
}

/** Follows what the scans of a chain cost and what is left for them, over all endpoints with a daily limit. */
export function openCosts(budgets: readonly RequestBudget[]) {
  const isLimited = budgets.length > 0 && budgets.every(({ limits }) => limits.perDay !== null);
  const used = () => budgets.reduce((sum, budget) => sum + budget.usedToday(), 0);
  const all = budgets.reduce((sum, { limits }) => sum + (limits.perDay ?? 0), 0);
  let perScan = 0;
  return {
    used,
    /** What is left after a scan that began at `before`. Null when any endpoint has no limit. */
    after(before: number): ScanResult['budget'] {
      if (!isLimited) return null;
      const cost = Math.max(0, used() - before);
      perScan = perScan === 0 ? cost : perScan * 0.9 + cost * 0.1;
      return { left: all - used(), perScan };
    },
  };
}
