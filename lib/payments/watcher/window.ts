// How many blocks are asked for at once. Every provider has its own limit and none says it beforehand, so the size halves
// when too much was asked and grows slowly while all goes well, staying below what was last refused. Pure.

import type { BlockSpan } from '@/lib/networks/chain';

export type Pace = {
  /** Blocks in the next window. */
  readonly size: number;
  /** Sizes stay below it until it is worth another try. Infinity: nothing was refused yet. */
  readonly ceiling: number;
  /** Whole windows that went well since the ceiling was set. */
  readonly calm: number;
};

/** Where a scan starts: below the limits of all providers but trial accounts. */
const START = 100;
/** Below the tightest common limit of paid plans, and a bounded amount of work for one transaction. */
export const LARGEST_WINDOW = 2000;
/** A quarter more each time doubles the window in about three steps, and overshoots a limit by at most a quarter. */
const GROWTH_DIVISOR = 4;
/** One wasted call in so many, so that a provider's raised limit is noticed and a fixed one costs next to nothing. */
const PROBE_AFTER = 50;

export const startPace: Pace = { size: START, ceiling: Number.POSITIVE_INFINITY, calm: 0 };

/** The blocks after `after` up to `last`, at most a window's worth of them; null when there are none. */
export function nextWindow(pace: Pace, span: { after: number; last: number }): { from: number; to: number } | null {
  if (span.last <= span.after) return null;
  return { from: span.after + 1, to: Math.min(span.last, span.after + pace.size) };
}

/**
 * Nodes behind one address differ by some blocks: a node that lags answers a range beyond its newest block with an empty list.
 * Blocks read this near to the newest one are therefore read once more when they are this much older.
 */
const YOUNG_BLOCKS = 16;
/** So many of them are read again by one request: on BSC seven to thirty seconds after the first reading. */
const REREAD_BLOCKS = 32;

/**
 * The earlier blocks that a window reads again; null for most windows, since the blocks come in groups. Every young block is in
 * one group, and no group is larger than what the provider takes at once.
 */
export function rereadSpan(pace: Pace, window: BlockSpan, newest: number): BlockSpan | null {
  if (newest - window.to >= YOUNG_BLOCKS) return null;
  const group = Math.min(REREAD_BLOCKS, pace.size);
  const end = Math.floor(window.to / group) * group;
  if (end < window.from) return null;
  const first = Math.ceil(window.from / group) * group - group;
  const [from, to] = [first - YOUNG_BLOCKS, end - 1 - YOUNG_BLOCKS];
  return to < 0 ? null : { from: Math.max(0, from, to - pace.size + 1), to };
}

/** The same for a network that is read by account, where the number of blocks costs nothing: all of them. */
export function wholeWindow(span: { after: number; last: number }): { from: number; to: number } | null {
  return span.last > span.after ? { from: span.after + 1, to: span.last } : null;
}

/** The pace after `blocks` blocks were refused as too many. An eighth less than that is not tried again for a while. */
export function slower(pace: Pace, blocks: number): Pace {
  return {
    size: Math.max(1, Math.floor(Math.min(blocks, pace.size) / 2)),
    ceiling: Math.max(2, Math.ceil((blocks * 7) / 8)),
    calm: 0,
  };
}

/** The pace after `blocks` blocks were read at once. Only a whole window says anything about the size. */
export function faster(pace: Pace, blocks: number): Pace {
  if (blocks < pace.size) return pace;
  const calm = pace.calm + 1;
  const ceiling = calm >= PROBE_AFTER ? Number.POSITIVE_INFINITY : pace.ceiling;
  const grown = pace.size + Math.max(1, Math.floor(pace.size / GROWTH_DIVISOR));
  const size = Math.min(grown, ceiling - 1, LARGEST_WINDOW);
  return { size: Math.max(size, pace.size), ceiling, calm: ceiling === pace.ceiling ? calm : 0 };
}
