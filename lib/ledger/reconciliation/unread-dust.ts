// A deposit address on Solana may hold small amounts that the watcher leaves unread
// (lib/networks/families/solana/reading/dust.ts). They explain a balance above the stored transfers, so it causes
// neither a discrepancy nor a re-scan, which would cost requests for each transaction.

import type { FollowedChain } from '@/lib/networks/registry';
import { toCommon } from '@/lib/money/amounts';

/** Base units of a token that an address holds beyond its stored transfers. */
export type Surplus = { readonly currency: string; readonly amount: bigint };

/**
 * Whether the surplus of an address over its stored transfers, in all tokens together, is less than `below` common
 * units.
 */
export function isUnreadDust(
  { adapter, spec }: Pick<FollowedChain, 'adapter' | 'spec'>,
  surpluses: readonly Surplus[],
  below: bigint,
): boolean {
  if (adapter.readsBlocks) return false;
  const worth = surpluses.map(({ currency, amount }) => toCommon(amount, spec.tokens[currency]?.decimals ?? 0));
  return worth.every((one) => one >= 0n) && worth.reduce((sum, one) => sum + one, 0n) < below;
}
