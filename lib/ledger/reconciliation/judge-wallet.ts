// What a reading of the refund wallet means. Pure. Anybody may send coins to the wallet at any moment, so more than expected is
// never a reason to stop; less is, unless payments that are on their way account for all of it (hardening INV-11).

import type { NetworkSpec } from '@/lib/networks/networks';

/** A payment that may have been signed and is not known to have ended. */
export type InFlight = {
  readonly intentId: string;
  /** Base units. */
  readonly amount: bigint;
  /** Unix seconds; 0 when it is not known. */
  readonly signedAt: number;
};

export type WalletReading = {
  /** Base units by the ledger, and at finality on the chain. */
  readonly expected: bigint;
  readonly found: bigint;
  readonly inFlight: readonly InFlight[];
  /** What was signed after this (Unix seconds) cannot be in the state that was read; null when the chain's time says nothing. */
  readonly signedBefore: number | null;
};

/**
 * Base units above what the ledger says (positive), or below what payments on their way can account for (negative); 0 when
 * nothing is to be explained. With coins arriving while payments land, no closer bound holds: whoever sends the wallet a
 * grain of a token would otherwise stop all refunds. What is hidden so comes to light when those payments have ended.
 */
export function unexplained({ expected, found, inFlight, signedBefore }: WalletReading): bigint {
  if (found >= expected) return found - expected;
  const possible = inFlight.filter(({ signedAt }) => signedBefore === null || signedAt <= signedBefore);
  // Of the attempts of one payment at most one lands.
  const intents = new Map(possible.map(({ intentId, amount }) => [intentId, amount]));
  const leaving = [...intents.values()].reduce((sum, amount) => sum + amount, 0n);
  const missing = expected - found;
  return missing > leaving ? leaving - missing : 0n;
}

/**
 * What was signed after this (Unix seconds, by the worker's clock) cannot be in a block of `blockTime`. The worker's clock may be
 * ahead of the chain's by as much as the network's margin: with less, a payment that landed would look like a theft and freeze
 * the signer. Null where block times say nothing: Solana's may run behind by minutes, those of local chains are made up.
 */
export const signedBeforeOf = (
  { chain, family, blockTimeMarginSeconds }: Pick<NetworkSpec, 'chain' | 'family' | 'blockTimeMarginSeconds'>,
  blockTime: number,
): number | null => (chain === 'local' || family === 'solana' ? null : blockTime + blockTimeMarginSeconds);

/** What two readings in a row agree is unexplained; 0 when they do not. One reading alone may be an endpoint's slip. */
export function confirmed(before: bigint, now: bigint): bigint {
  if (before > 0n && now > 0n) return before < now ? before : now;
  if (before < 0n && now < 0n) return before > now ? before : now;
  return 0n;
}
