// What the worker reads from a chain about an attempt, and what proves that an attempt can never land. Pure.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { AttemptOutcome, SentAttempt, Validity } from '@/lib/networks/sending/send';
import { batchPlaceOf } from '@/lib/networks/sending/draft';
import { unixSeconds } from '@/lib/platform/clock';
import type { SignedAttempt } from '@/lib/refunds/attempts';
import type { Intervals } from '@/lib/refunds/sending/intervals';
import { orderFor, type Work } from '@/lib/refunds/sending/sending-context';

/**
 * The margins beyond an attempt's validity, because the signer accepts no less (lib/signer/attempt-rules.ts): seconds of finalized block
 * time, or finalized blocks.
 */
const [TIME_MARGIN_SECONDS, HEIGHT_MARGIN] = [60, 32];
/** The signer also waits this long by its own clock before it believes that a Solana payment lapsed. */
const LEAST_HEIGHT_LIFE_MILLISECONDS = 91_000;

/** The attempt in the form that a sender follows. `others`: those with its nonce. `to`: where the payment goes. */
export function sentAttempt(
  work: Work,
  attempt: SignedAttempt,
  others: readonly SignedAttempt[],
  to: string,
): SentAttempt {
  const { hash, validity, draft } = attempt;
  const signedAt = unixSeconds(attempt.signedAt);
  const batch = batchPlaceOf(draft);
  return {
    hash,
    validity,
    from: draft.from,
    order: orderFor(work, to),
    others: others.map((one) => one.hash),
    signedAt,
    ...(batch ? { batch } : {}),
  };
}

/** The finalized time or height from which an attempt that is not found can never land; null for a nonce, which does not lapse. */
export function lapsesAt(validity: Validity): number | null {
  switch (validity.kind) {
    case 'nonce':
      return null;
    case 'time':
      return validity.expiresAt + TIME_MARGIN_SECONDS;
    case 'height':
      return validity.lastValidBlockHeight + HEIGHT_MARGIN;
  }
}

type Proven = Extract<AttemptOutcome, { kind: 'lapsed' }> & { readonly finalized: number };

export function isProvenLapsed(validity: Validity, outcome: AttemptOutcome): outcome is Proven {
  const at = lapsesAt(validity);
  return outcome.kind === 'lapsed' && at !== null && outcome.finalized !== undefined && outcome.finalized >= at;
}

/** From this attempt on, the wait doubles with each attempt, so that fifty attempts take two days and not three hours. */
const FIRST_THAT_WAITS_LONGER = 6;
const LONGEST_WAIT_MILLISECONDS = 3_600_000;

/** Milliseconds until the second check of this attempt, after which the next one is drafted (draft.ts, attestLapse). */
export function waitAfterLapse(
  { number, validity, signedAt }: SignedAttempt,
  { secondCheck }: Intervals,
  now: Date,
): number {
  const doubled = 2 ** Math.max(0, number + 1 - FIRST_THAT_WAITS_LONGER);
  const wait = Math.min(secondCheck * doubled, Math.max(secondCheck, LONGEST_WAIT_MILLISECONDS));
  if (validity.kind !== 'height') return wait;
  return Math.max(wait, signedAt.getTime() + LEAST_HEIGHT_LIFE_MILLISECONDS - now.getTime());
}

/**
 * Milliseconds until the next check of an attempt that is in a block: half of the time that its network usually takes to make it final, so
 * that a dozen requests are enough on the slowest network. After that time the interval is `old`.
 */
export function untilFinal(
  { confirmations: needed, blockMs }: Pick<NetworkSpec, 'confirmations' | 'blockMs'>,
  confirmations: number,
  { recent, old, mostHold }: Intervals,
): number {
  const missing = Math.max(0, needed - confirmations) * blockMs;
  return missing === 0 ? old : Math.min(mostHold, Math.max(recent, missing / 2));
}
