// One bounded pass over a chain: the remaining windows, their size, and whether the lease still holds.

import { blocksAtOnce, ChainError, type BlockWindow } from '@/lib/networks/chain';
import { grow, shrink, type WindowSizing } from './window';

export type Pass = {
  /** The size of the next window. */
  readonly sizing: WindowSizing;
  /** Takes one window off the budget and keeps the lease. False when the pass is over. */
  next(): Promise<boolean>;
  /** Reads a window and adapts the size. Undefined: retry with a smaller window. Rethrows every other error. */
  attempt<T>(window: BlockWindow, read: () => Promise<T>): Promise<T | undefined>;
};

/** Opens a pass of at most `windows` windows. `keep` extends the lease and returns whether it still holds. */
export function openPass(start: WindowSizing, windows: number, keep: () => Promise<boolean>): Pass {
  let sizing = start;
  let left = windows;
  return {
    get sizing() {
      return sizing;
    },
    async next() {
      if (left === 0) return false;
      left -= 1;
      return keep();
    },
    async attempt(window, read) {
      const blocks = blocksAtOnce(window);
      try {
        const result = await read();
        sizing = grow(sizing, blocks);
        return result;
      } catch (error) {
        if (!(error instanceof ChainError) || error.fault !== 'too_large' || blocks === 1) throw error;
        sizing = shrink(sizing, blocks);
        return undefined;
      }
    },
  };
}
