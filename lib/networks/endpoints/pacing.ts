// Spreads the requests to one endpoint so that a provider's limit per second is not met in the first place. Nothing is refused
// here: a request that comes too early waits for its turn, so no scan loses its place.

import type { Clock } from '@/lib/platform/clock';

/** Resolves after so many milliseconds. */
export type Wait = (milliseconds: number) => Promise<void>;

/**
 * The share of a second's limit that may go at once after a quiet time. The rest is the steady rate, so that both together stay
 * within the limit in any second: of TronGrid's 15 three at once and twelve a second.
 */
const BURST_SHARE = 0.2;

/** Returns a function that resolves when a request of that weight may go. `perSecond`: what the provider allows in any second. */
export function openPacing({ perSecond, clock, wait }: { perSecond: number; clock: Clock; wait: Wait }) {
  const interval = 1000 / (perSecond * (1 - BURST_SHARE));
  const burst = perSecond * BURST_SHARE;
  let usedUntil = Number.NEGATIVE_INFINITY;
  return async (weight: number): Promise<void> => {
    const now = clock.now().getTime();
    usedUntil = Math.max(usedUntil, now - burst * interval) + weight * interval;
    const delay = usedUntil - now;
    if (delay > 0) await wait(delay);
  };
}
