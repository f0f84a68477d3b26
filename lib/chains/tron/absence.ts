// Proves that a transaction is in no solid block although it can no longer enter one: every block that could hold it is read, with
// the transactions that it lists. The answer "not found" proves nothing, because it does not say which block it is as of, and an
// address like TronGrid's stands for many nodes, some of which lag. A node that lags cannot give a block that it does not have.

import { ChainError, type BlockRef } from '../chain';
import { MOST_AT_ONCE, readListed } from './block';
import { checkId, readBlock, type TronNode } from './node';
import type { ListedBlock } from './shapes';

/** Two blocks: a block may hold a transaction that expired after the block before it, and times here are whole seconds. */
const SLACK_SECONDS = 6;
/** A block every three seconds for the longest life of a payment (send-draft.ts); the rest is for faster local chains. */
const MOST_BLOCKS = 2000;
const FIRST_STEP = 128;

/** Chain time in Unix seconds. The transaction was drafted after `from` and expires at `expiresAt`. */
export type Lifetime = { readonly from: number; readonly expiresAt: number };

/**
 * Whether the node's solid blocks hold the transaction. `final` is a solid block well after its expiration. `pruned`: the node's oldest
 * block is too new to tell. Throws `unavailable` when the node lacks a later block, and `contradiction` when they do not form one chain.
 */
export async function isInSolidBlock(
  node: TronNode,
  hash: string,
  { from, expiresAt }: Lifetime,
  final: BlockRef,
): Promise<boolean | 'pruned'> {
  let before = await lastBlockBefore(node, from - SLACK_SECONDS, final);
  if (!before) return 'pruned';
  const first = before.number + 1;
  for (let next = first; next <= final.number && before.time <= expiresAt + SLACK_SECONDS; next += MOST_AT_ONCE) {
    if (next - first > MOST_BLOCKS) {
      throw new ChainError('unavailable', `${node.name} has more blocks than expected between two times`);
    }
    const to = Math.min(final.number, next + MOST_AT_ONCE - 1);
    const listed = await readListed(node, { side: 'walletsolidity', from: next, to });
    for (let number = next; number <= to; number++) {
      const { block, transactions } = follows(node, before, listed[number - next] ?? null);
      if (transactions.some(({ id }) => id === hash)) return true;
      before = block;
    }
  }
  if (before.time > expiresAt + SLACK_SECONDS) return false;
  throw new ChainError('unavailable', `${node.name} has no solid block after the expiration`);
}

/** The newest solid block at or before a time, or block 0; null when the node no longer has that block. */
async function lastBlockBefore(node: TronNode, time: number, final: BlockRef): Promise<BlockRef | null> {
  let [early, late] = [placeOf(final), final.number];
  for (let step = FIRST_STEP; early.time > time && early.number > 0; step *= 2) {
    late = early.number;
    early = await solid(node, Math.max(0, early.number - step));
  }
  while (late - early.number > 1) {
    const middle = await solid(node, Math.floor((early.number + late) / 2));
    if (middle.time > time) late = middle.number;
    else early = middle;
  }
  return early.block;
}

/** A height, and its block if the node has it. */
type Place = { readonly number: number; readonly time: number; readonly block: BlockRef | null };

const placeOf = (block: BlockRef): Place => ({ number: block.number, time: block.time, block });

/** A block that the node lacks counts as older than all that it has. */
async function solid(node: TronNode, number: number): Promise<Place> {
  const block = await readBlock(node, 'walletsolidity', number);
  return block ? placeOf(block) : { number, time: -Infinity, block: null };
}

function follows(node: TronNode, before: BlockRef, listed: ListedBlock | null): ListedBlock {
  const number = before.number + 1;
  if (!listed) throw new ChainError('unavailable', `${node.name} lacks block ${number}`);
  const { block } = listed;
  checkId(node, block);
  if (block.number === number && block.parentHash === before.hash) return listed;
  throw new ChainError('contradiction', `${node.name} gave a block that does not follow block ${before.number}`);
}
