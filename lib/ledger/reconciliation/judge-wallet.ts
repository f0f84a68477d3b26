// Judges a reading of the refund wallet. Pure. Anyone may send coins to the wallet at any time, so a balance above the
// expected one is never a reason to stop. A lower balance is, unless payments in flight account for all of it (INV-11).

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
  /** Base units according to the ledger: the least and the most, because a sweep may lie within the blocks of the reading. */
  readonly expected: { readonly least: bigint; readonly most: bigint };
  /** Base units at finality on the chain. */
  readonly found: bigint;
  readonly inFlight: readonly InFlight[];
  /**
   * A payment signed after this (Unix seconds) cannot be in the state that was read. Null when the chain's time is
   * unusable.
   */
  readonly signedBefore: number | null;
};

/**
 * Base units above the ledger's balance (positive), or below what payments in flight can account for (negative); 0 when
 * nothing is unexplained. Coins may arrive while payments land, so no tighter bound holds: otherwise anyone could stop
 * all refunds by sending a tiny amount to the wallet. An amount hidden this way is detected once those payments have
 * ended.
 */
export function unexplained({ expected, found, inFlight, signedBefore }: WalletReading): bigint {
  if (found >= expected.least) return found > expected.most ? found - expected.most : 0n;
  const possible = inFlight.filter(({ signedAt }) => signedBefore === null || signedAt <= signedBefore);
  // At most one attempt of a payment lands.
  const intents = new Map(possible.map(({ intentId, amount }) => [intentId, amount]));
  const leaving = [...intents.values()].reduce((sum, amount) => sum + amount, 0n);
  const missing = expected.least - found;
  return missing > leaving ? leaving - missing : 0n;
}

/**
 * A payment signed after this (Unix seconds, by the worker's clock) cannot be in a block of `blockTime`. The worker's
 * clock may be ahead of the chain's by the network's margin. With a smaller margin, a landed payment could count as a
 * theft and freeze the signer. Null where block times are unusable: Solana's may lag by minutes, and those of local
 * chains are artificial.
 */
export const signedBeforeOf = (
  { chain, family, blockTimeMarginSeconds }: Pick<NetworkSpec, 'chain' | 'family' | 'blockTimeMarginSeconds'>,
  blockTime: number,
): number | null => (chain === 'local' || family === 'solana' ? null : blockTime + blockTimeMarginSeconds);

/**
 * The unexplained amount on which two consecutive readings agree; 0 when they do not. A single reading may be an
 * endpoint's error.
 */
export function confirmed(before: bigint, now: bigint): bigint {
  if (before > 0n && now > 0n) return before < now ? before : now;
  if (before < 0n && now < 0n) return before > now ? before : now;
  return 0n;
}

/** Base units that may be on their way from the cold wallet. Of those with one `one_of` at most one arrives, so the largest counts. */
export function returningOf(returns: readonly { readonly amount: string; readonly one_of: string }[]): bigint {
  const most = new Map<string, bigint>();
  for (const { one_of: of, amount } of returns) if (BigInt(amount) > (most.get(of) ?? 0n)) most.set(of, BigInt(amount));
  return [...most.values()].reduce((sum, amount) => sum + amount, 0n);
}
