// Limits the size and the frequency of address comparisons while endpoints rate-limit them. An interrupted comparison
// wastes its requests, so after a refusal the next one is smaller and later. A new process begins with the full number.

import type { ChainError } from '@/lib/networks/chain';

/** The pause after a refusal; each further one doubles it. An endpoint's daily quota recovers slowly. */
const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 240_000;

export type ProofLimiter = {
  /** The number of addresses to compare now; 0 during a pause. */
  most(now: Date): number;
  /** Records the result of the last comparison. */
  note(error: ChainError | null, now: Date): void;
  /** Why proofs wait while the endpoints' budgets reserve the requests for other purposes; null otherwise. */
  shortage(): ChainError | null;
};

/** `largest`: the largest number of addresses that the endpoints accept at once. */
export function openProofLimiter(largest: number): ProofLimiter {
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
      // A refusal by the budget is not the endpoint's fault. A refusal by the endpoint shows in its health.
      refused = error.demotes ? null : error;
    },
    shortage: () => refused,
  };
}
