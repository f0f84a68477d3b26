// Spreads the requests to one endpoint so that they stay below the provider's limit per second. An early request is delayed and never
// refused, so that no scan loses its progress.

import type { Clock } from '@/lib/platform/clock';

/** Resolves after the given milliseconds. */
export type Wait = (milliseconds: number) => Promise<void>;

/**
 * The share of a second's limit that may go out at once after a quiet time. The rest is the steady rate, so that both together
 * stay within the limit in any second: of TronGrid's 15, three at once and twelve a second.
 */
const BURST_SHARE = 0.2;

/**
 * Returns a function that resolves when a request of the given weight may go out. `perSecond`: the provider's limit in any
 * second.
 */
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
