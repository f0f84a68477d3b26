// How many addresses are compared at once, and when, while endpoints refuse requests for their number. A comparison that is cut
// off half way has spent its requests for nothing, so after a refusal the next one is smaller and comes later. A process that starts
// anew begins with the full number.

import type { ChainError } from '@/lib/networks/chain';

/** The pause after a refusal; twice as long with each further one. An endpoint's share of the day is regained slowly. */
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 240_000;

export type ProofPace = {
  /** How many addresses may be compared now; 0 during a pause. */
  most(now: Date): number;
  /** How the last comparison went. */
  note(error: ChainError | null, now: Date): void;
  /** Why proofs wait, when the budgets of the endpoints keep the requests for other purposes; null otherwise. */
  shortage(): ChainError | null;
};

/** `largest`: what the endpoints answer at once. */
export function openProofPace(largest: number): ProofPace {
  let size = largest;
  let pauseMs = FIRST_PAUSE_MS;
  let pausedUntil = 0;
  let refused: ChainError | null = null;
  return {
    most: (now) => (now.getTime() < pausedUntil ? 0 : size),
    note(error, now) {
      if (!error?.throttled) {
        if (error === null) [size, pauseMs] = [Math.min(largest, size * 2), Math.max(FIRST_PAUSE_MS, pauseMs / 2)];
        refused = null;
        return;
      }
      size = Math.max(1, Math.floor(size / 2));
      pausedUntil = now.getTime() + pauseMs;
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      // What the budget itself refuses says nothing against the endpoint; what the endpoint refuses shows in its health.
      refused = error.demotes ? null : error;
    },
    shortage: () => refused,
  };
}
