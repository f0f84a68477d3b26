// How many blocks one request covers. Every provider has its own, unpublished limit. The size halves when a provider refuses a request as
// too large, grows slowly while requests succeed, and stays below the last refused size. Pure.

import type { BlockSpan } from '@/lib/networks/chain';

export type WindowSizing = {
  /** Blocks in the next window. */
  readonly size: number;
  /** The size stays below it until the next probe. Infinity: no size was refused yet. */
  readonly ceiling: number;
  /** Full windows that succeeded since the ceiling was set. */
  readonly successes: number;
};

/** The first window: below the limits of all providers except trial accounts. */
const START = 100;
/** Below the tightest common limit of paid plans, and a bounded amount of work for one transaction. */
export const LARGEST_WINDOW = 2000;
/** Growth by a quarter doubles the window in about three steps and overshoots a limit by at most a quarter. */
const GROWTH_DIVISOR = 4;
/** One probe in this many windows notices when a provider raises its limit, and costs next to nothing when it does not. */
const PROBE_AFTER = 50;

export const startSizing: WindowSizing = { size: START, ceiling: Number.POSITIVE_INFINITY, successes: 0 };

/** The blocks after `after` up to `last`, at most one window; null when there are none. */
export function nextWindow(
  sizing: WindowSizing,
  span: { after: number; last: number },
): { from: number; to: number } | null {
  if (span.last <= span.after) return null;
  return { from: span.after + 1, to: Math.min(span.last, span.after + sizing.size) };
}

/**
 * Nodes behind one URL differ by some blocks: a lagging node returns an empty list for a range beyond its newest block.
 * Blocks read this near to the newest one are therefore read once more when they are this much older.
 */
const RECENT_BLOCKS = 16;
/** One request reads this many of them again: on BSC seven to thirty seconds after the first reading. */
const REREAD_BLOCKS = 32;

/**
 * The earlier blocks that a window reads again; null for most windows, since the blocks come in groups. Every recent block is in
 * one group, and no group is larger than the provider accepts in one request.
 */
export function rereadSpan(sizing: WindowSizing, window: BlockSpan, newest: number): BlockSpan | null {
  if (newest - window.to >= RECENT_BLOCKS) return null;
  const group = Math.min(REREAD_BLOCKS, sizing.size);
  const end = Math.floor(window.to / group) * group;
  if (end < window.from) return null;
  const first = Math.ceil(window.from / group) * group - group;
  const [from, to] = [first - RECENT_BLOCKS, end - 1 - RECENT_BLOCKS];
  return to < 0 ? null : { from: Math.max(0, from, to - sizing.size + 1), to };
}

/** The window of a network read by account: all blocks, because their number costs nothing. */
export function wholeWindow(span: { after: number; last: number }): { from: number; to: number } | null {
  return span.last > span.after ? { from: span.after + 1, to: span.last } : null;
}

/** The sizing after a request for `blocks` blocks was refused as too large. Sizes above seven eighths of it are not tried for a while. */
export function shrink(sizing: WindowSizing, blocks: number): WindowSizing {
  return {
    size: Math.max(1, Math.floor(Math.min(blocks, sizing.size) / 2)),
    ceiling: Math.max(2, Math.ceil((blocks * 7) / 8)),
    successes: 0,
  };
}

/** The sizing after one request read `blocks` blocks. Only a full window is evidence about the limit. */
export function grow(sizing: WindowSizing, blocks: number): WindowSizing {
  if (blocks < sizing.size) return sizing;
  const successes = sizing.successes + 1;
  const ceiling = successes >= PROBE_AFTER ? Number.POSITIVE_INFINITY : sizing.ceiling;
  const grown = sizing.size + Math.max(1, Math.floor(sizing.size / GROWTH_DIVISOR));
  const size = Math.min(grown, ceiling - 1, LARGEST_WINDOW);
  return { size: Math.max(size, sizing.size), ceiling, successes: ceiling === sizing.ceiling ? successes : 0 };
}
