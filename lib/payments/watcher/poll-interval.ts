// When a chain is scanned next, so that scans fit the plans of its endpoints and payments show up quickly. While an open session
// offers the network, scans come about as often as blocks. Otherwise they are rare until a session opens (chain-row, leaseChain).
// When the day's budget runs low, the interval stretches to make it last. Local chains cost nothing and have no interval. Pure.

import type { Head, NetworkFamily } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { untilNextDay, type RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { IDLE_SCAN_MS } from '@/lib/networks/endpoints/request-limits';

/**
 * The scan interval of a busy network whose blocks come more often. At the median, a final block is noticed half an interval late:
 * with the scan itself at most a second and a half. A scan of Solana costs twice as many requests as one of BSC.
 */
const BUSY_MS: Record<NetworkFamily, number> = { evm: 2000, tron: 2000, solana: 2400 };
/** Must stay below one minute: after that silence a network with open sessions is no longer offered (sessions/create/statement). */
const SLOWEST_BUSY_MS = 45_000;
/** Retry interval for a chain that cannot be read. */
const TROUBLE_MS = 5000;
/** The fastest endpoints serve a block this long after its time. The delay of the endpoints in use is learned. */
const ARRIVAL_MS = 800;
/** A block later than this was probably skipped, and does not change the learned delay. */
const MISSING_MS = 4000;
/** The delay grows by the step when a block is late, and shrinks by the decay with each block on time. */
const ARRIVAL_STEP_MS = 500;
const ARRIVAL_DECAY_MS = 20;
/** The share of the remaining daily budget that scans may plan with. A tenth stays for other requests. */
const PLANNED_SHARE = 0.9;
/**
 * On EVM networks an idle scan ends this many blocks below finality. Lagging nodes have those blocks by then, so no block needs a
 * second reading (window.ts).
 */
const IDLE_BEHIND_BLOCKS = 16;
/** A tip this near to finality would be final by the next scan, so the tip pass is skipped. */
const NEAR_BLOCKS = 4;

/**
 * Final blocks are scanned once in this many blocks while no known transfer waits to be credited. On Solana each scan reads
 * accounts, however few blocks are new; fifty blocks take about twenty seconds. On TRON nearly every transfer is known a minute
 * before its block becomes final, and ten blocks take thirty seconds.
 */
const SCANNED_EVERY_BLOCKS: Record<NetworkFamily, number> = { evm: 1, tron: 10, solana: 50 };

/**
 * Interval for unconfirmed transfers on TRON, where finality takes a minute. With nine seconds, the requests of an installation on
 * a busy day would exceed the 60,000 requests of TronGrid's free plan.
 */
const UNCONFIRMED_MS = 12_000;
/** Retry interval for a block that should be final but is not. */
const LATE_MS = 1000;

export type ScanResult = {
  /** Null when the head could not be read. */
  readonly head: Head | null;
  readonly isOpen: boolean;
  /** The next block that holds a known transfer and is not final; null when there is none. */
  readonly awaited: number | null;
  /** How long after its time a block can be read. */
  readonly arrivalMs: number;
  readonly trouble: string | null;
  /** The rest of the day's budgets and the cost of one scan; null without a limit. */
  readonly budget: { readonly remaining: number; readonly perScan: number } | null;
  readonly now: Date;
};

/** When the chain is due again; null means at every run of the worker. */
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

/** The time until the awaited block should be final. On TRON finality moves one block with each new block. */
function untilFinal({ blockMs }: NetworkSpec, { head: { tip, final }, awaited, arrivalMs, now }: Waiting): number {
  if (awaited === null) return UNCONFIRMED_MS;
  const expected = tip.time * 1000 + (awaited - final.number) * blockMs + arrivalMs - now.getTime();
  return Math.min(UNCONFIRMED_MS, expected > 0 ? expected : LATE_MS);
}

/** The time until the next block should be available, or a short retry when it is late. With fast blocks, the busy interval. */
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

/** Measures how long after its time the endpoints in use serve a block, so that most scans find one new block. */
export function openArrival({ blockMs }: NetworkSpec) {
  let arrivalMs = ARRIVAL_MS;
  let last: number | null = null;
  return {
    /** The expected delay after a scan whose newest block is this head. */
    after({ tip }: Head, now: Date): number {
      const late = now.getTime() - tip.time * 1000 - blockMs;
      if (tip.number !== last) arrivalMs = Math.max(ARRIVAL_MS, arrivalMs - ARRIVAL_DECAY_MS);
      else if (late > 0 && late < MISSING_MS) arrivalMs = Math.max(arrivalMs, late + ARRIVAL_STEP_MS);
      last = tip.number;
      return arrivalMs;
    },
  };
}

/** The pause that makes the budget last for the rest of the day. Capped, so that the network stays offered. */
function affordable({ remaining, perScan }: { remaining: number; perScan: number }, now: Date): number {
  const scans = (remaining * PLANNED_SHARE) / Math.max(1, perScan);
  return Math.min(SLOWEST_BUSY_MS, scans > 0 ? untilNextDay(now) / scans : SLOWEST_BUSY_MS);
}

/** Whether to read unconfirmed transfers: a payer waits, and finality is more than a moment away. */
export const showsUnconfirmed = (spec: NetworkSpec, head: Head, isOpen: boolean): boolean =>
  spec.chain === 'local' || (isOpen && head.tip.number - head.final.number > NEAR_BLOCKS);

/** Whether enough blocks became final since the last final scan, even if no known transfer waits for one. */
export const isFinalScanDue = (spec: NetworkSpec, after: number, { final }: Head): boolean =>
  spec.chain === 'local' || final.number - after >= SCANNED_EVERY_BLOCKS[spec.family];

/** The last block of a scan of final blocks. */
export function lastFinal(spec: NetworkSpec, { final }: Head, isOpen: boolean): number {
  return isOpen || spec.chain === 'local' || spec.family !== 'evm' ? final.number : final.number - IDLE_BEHIND_BLOCKS;
}

/** Tracks the cost of the scans of a chain and the remaining budget over all endpoints with a daily limit. */
export function openCosts(budgets: readonly RequestBudget[]) {
  const isLimited = budgets.length > 0 && budgets.every(({ limits }) => limits.perDay !== null);
  const used = () => budgets.reduce((sum, budget) => sum + budget.usedToday(), 0);
  const all = budgets.reduce((sum, { limits }) => sum + (limits.perDay ?? 0), 0);
  let perScan = 0;
  return {
    used,
    /** The remaining budget after a scan that began at `before`. Null when any endpoint has no limit. */
    after(before: number): ScanResult['budget'] {
      if (!isLimited) return null;
      const cost = Math.max(0, used() - before);
      perScan = perScan === 0 ? cost : perScan * 0.9 + cost * 0.1;
      return { remaining: all - used(), perScan };
    },
  };
}
