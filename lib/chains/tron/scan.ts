// One window read from one node and proven: the node holds every block of it for final where that is asked; they follow each
// other and the block before; and of each of them every transaction's outcome is known. What will be credited is read from
// the solid side alone.

import { ChainError, type BlockRef, type BlockWindow, type Head, type Scan, type Watch } from '../chain';
import { tronAddress } from './address';
import { MOST_AT_ONCE, readWholeBlocks } from './block';
import { creditsOf, movementsOf, type Moved, type Tokens } from './decode';
import type { TronNode } from './node';

/** What reading a node takes besides the node. */
export type Reading<N extends TronNode> = {
  readonly tokens: Tokens;
  /** The node's head; what it calls final never ceases to be, so it may be some seconds old. */
  readonly headOf: (node: N) => Promise<Head>;
};

/** One block; of its transactions only what moves our tokens is kept, however large it is. */
type Read = { readonly block: BlockRef; readonly moved: readonly Moved[] };

/** Scans a window, as ChainAdapter.scan says. */
export async function scanWindow<N extends TronNode>(
  node: N,
  { tokens, headOf }: Reading<N>,
  window: BlockWindow,
  watch: Watch,
): Promise<Scan> {
  if (window.to - window.from >= node.largestWindow) {
    throw new ChainError('too_large', `${node.name} is asked for at most ${node.largestWindow} blocks at once`);
  }
  const { final } = await (window.final ? headOf(node) : { final: null });
  if (final && final.number < window.to) {
    throw new ChainError('unavailable', `${node.name} does not hold block ${window.to} for final yet`, {
      behind: true,
    });
  }
  const read = await readBlocks(node, tokens, window);
  const through = checkOrder(node, window, read);
  const moved = read.flatMap((one) => one.moved);
  if (moved.length === 0) return { transfers: [], through, marks: [] };
  const recipients = new Set(moved.flatMap(({ movements }) => movements.map(({ to }) => to)));
  const watched = await watch.among([...recipients].map(tronAddress));
  return { transfers: creditsOf(moved, watched), through, marks: [] };
}

/** The window's blocks in order. */
async function readBlocks(node: TronNode, tokens: Tokens, window: BlockWindow): Promise<Read[]> {
  const side = window.final ? 'walletsolidity' : 'wallet';
  const read: Read[] = [];
  for (let from = window.from; from <= window.to; from += MOST_AT_ONCE) {
    const to = Math.min(window.to, from + MOST_AT_ONCE - 1);
    for (const { block, infos, calls } of await readWholeBlocks(node, { side, from, to })) {
      const moved = infos.flatMap((info): Moved[] => {
        const movements = movementsOf(tokens, info);
        return movements.length > 0 ? [{ id: info.id, block, movements, call: calls.get(info.id) ?? null }] : [];
      });
      read.push({ block, moved });
    }
  }
  return read;
}

/** The last block, when all of them follow each other and the block before the window. */
function checkOrder(node: TronNode, window: BlockWindow, read: readonly Read[]): BlockRef {
  let before: BlockRef | undefined;
  for (const { block } of read) {
    const known = before ? before.hash : window.parentHash;
    if (known !== null && block.parentHash !== known) {
      const what = `${node.name}: block ${block.number} does not continue from the block`;
      if (before) throw new ChainError('contradiction', `${what} that it gave before it`);
      throw new ChainError('reorganised', `${what} known before it`);
    }
    before = block;
  }
  if (before) return before;
  throw new RangeError(`a window from ${window.from} to ${window.to} holds no block`);
}
