// The blocks of one side of a node after a given time, one by one, each with its listed transactions. They must form one chain: a
// URL like TronGrid's serves many nodes, and one that lags cannot return a block that it lacks.

import { ChainError, type BlockRef } from '@/lib/networks/chain';
import { MAX_AT_ONCE, readListed } from './block';
import type { Side } from '@/lib/networks/families/tron/http';
import { checkId, readBlock, type TronNode } from '@/lib/networks/families/tron/node';
import type { ListedBlock } from '@/lib/networks/families/tron/shapes';

/** A block every three seconds for the longest life of a payment (sending/write-draft.ts: LASTING_MS); the rest is for faster local chains. */
const MAX_BLOCKS = 2000;
const FIRST_STEP = 128;

/** `head`: a block of that side, later than all blocks that matter. */
export type Range = { readonly side: Side; readonly head: BlockRef };

/** A height with its block's time, and the block if the node has it. */
type Place = { readonly number: number; readonly time: number; readonly block: BlockRef | null };

/** The newest block at or before a time (Unix seconds), or block 0. If the node no longer has it: the time of its oldest block. */
export async function lastBlockBefore(
  node: TronNode,
  range: Range,
  time: number,
): Promise<BlockRef | { readonly prunedUntil: number }> {
  const { head } = range;
  let [early, late]: [Place, Place] = [placeOf(head), placeOf(head)];
  for (let step = FIRST_STEP; early.time > time && early.number > 0; step *= 2) {
    late = early;
    early = await placeAt(node, range, Math.max(0, early.number - step));
  }
  while (late.number - early.number > 1) {
    const middle = await placeAt(node, range, Math.floor((early.number + late.number) / 2));
    if (middle.time > time) late = middle;
    else early = middle;
  }
  return early.block ?? { prunedUntil: late.time };
}

const placeOf = (block: BlockRef): Place => ({ number: block.number, time: block.time, block });

/** A block that the node lacks counts as older than all blocks that it has. */
async function placeAt(node: TronNode, { side }: Range, number: number): Promise<Place> {
  const block = await readBlock(node, side, number);
  return block ? placeOf(block) : { number, time: -Infinity, block: null };
}

/**
 * The blocks after `start`, up to the head. Throws `unavailable` if the node lacks one or there are more than expected, and
 * `contradiction` if they do not form one chain.
 */
export async function* blocksAfter(
  node: TronNode,
  { side, head }: Range,
  start: BlockRef,
): AsyncGenerator<ListedBlock, void, void> {
  let before = start;
  const first = start.number + 1;
  for (let next = first; next <= head.number; next += MAX_AT_ONCE) {
    if (next - first > MAX_BLOCKS) {
      throw new ChainError('unavailable', `${node.name} has more blocks than expected between two times`);
    }
    const to = Math.min(head.number, next + MAX_AT_ONCE - 1);
    const listed = await readListed(node, { side, from: next, to });
    for (let number = next; number <= to; number++) {
      const one = follows(node, before, listed[number - next] ?? null);
      yield one;
      before = one.block;
    }
  }
}

function follows(node: TronNode, before: BlockRef, listed: ListedBlock | null): ListedBlock {
  const number = before.number + 1;
  if (!listed) throw new ChainError('unavailable', `${node.name} lacks block ${number}`);
  const { block } = listed;
  checkId(node, block);
  if (block.number === number && block.parentHash === before.hash) return listed;
  throw new ChainError('contradiction', `${node.name} gave a block that does not follow block ${before.number}`);
}
