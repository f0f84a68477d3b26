// Proves that no solid block holds a transaction after it can no longer enter one: reads every block that could hold it, with its
// listed transactions. The answer "not found" proves nothing, because it does not name its block.

import { ChainError, type BlockRef } from '@/lib/networks/chain';
import { blocksAfter, lastBlockBefore, type Range } from './block-range';
import type { TronNode } from '@/lib/networks/families/tron/node';

/** Two blocks: a block may hold a transaction that expired after the previous block, and times here are whole seconds. */
const SLACK_SECONDS = 6;

/** Chain time in Unix seconds. The transaction was drafted after `from` and expires at `expiresAt`. */
export type Lifetime = { readonly from: number; readonly expiresAt: number };

/**
 * Whether the node's solid blocks hold the transaction. `final` is a solid block well after its expiration. `pruned`: the node's
 * oldest block is too recent to tell. Throws `unavailable` if the node lacks a later block, and `contradiction` if the blocks do
 * not form one chain.
 */
export async function isInSolidBlock(
  node: TronNode,
  hash: string,
  { from, expiresAt }: Lifetime,
  final: BlockRef,
): Promise<boolean | 'pruned'> {
  const range: Range = { side: 'walletsolidity', head: final };
  const start = await lastBlockBefore(node, range, from - SLACK_SECONDS);
  if ('prunedUntil' in start) return 'pruned';
  for await (const { block, transactions } of blocksAfter(node, range, start)) {
    if (transactions.some(({ id }) => id === hash)) return true;
    if (block.time > expiresAt + SLACK_SECONDS) return false;
  }
  throw new ChainError('unavailable', `${node.name} has no solid block after the expiration`);
}
