// One bounded pass over a chain: how many windows it may still read, how large they are, and whether the lease still holds.

import { blocksAtOnce, ChainError, type BlockWindow } from '@/lib/networks/chain';
import { faster, slower, type Pace } from './window';

export type Pass = {
  /** The size of the next window. */
  readonly pace: Pace;
  /** Takes one window off the budget and keeps the lease. False when the pass is over. */
  next(): Promise<boolean>;
  /** Reads a window and learns from it; undefined when it must be tried again smaller. Throws what cannot be helped so. */
  attempt<T>(window: BlockWindow, read: () => Promise<T>): Promise<T | undefined>;
};

/** Opens a pass of at most `windows` windows. `keep` extends the lease and says whether it still holds. */
export function openPass(start: Pace, windows: number, keep: () => Promise<boolean>): Pass {
  let pace = start;
  let left = windows;
  return {
    get pace() {
      return pace;
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
        pace = faster(pace, blocks);
        return result;
      } catch (error) {
        if (!(error instanceof ChainError) || error.fault !== 'too_large' || blocks === 1) throw error;
        pace = slower(pace, blocks);
        return undefined;
      }
    },
  };
}
