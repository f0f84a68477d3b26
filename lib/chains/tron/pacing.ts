// Spreads the requests to one endpoint so that a provider's limit is not met in the first place. Nothing is refused here: a
// request that comes too early waits for its turn, so no scan loses its place.

import type { Clock } from '@/lib/clock';

/** Resolves after so many milliseconds. */
export type Wait = (milliseconds: number) => Promise<void>;

/** So many may go at once after a quiet time; with the rate that we use it stays below TronGrid's 15 in any second. */
const BURST = 3;

/** Returns a function that resolves when the next request may go: `perSecond` on average. */
export function openPacing({ perSecond, clock, wait }: { perSecond: number; clock: Clock; wait: Wait }) {
  const interval = 1000 / perSecond;
  let usedUntil = Number.NEGATIVE_INFINITY;
  return async (): Promise<void> => {
    const now = clock.now().getTime();
    usedUntil = Math.max(usedUntil, now - BURST * interval) + interval;
    const delay = usedUntil - now;
    if (delay > 0) await wait(delay);
  };
}
