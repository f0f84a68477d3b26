// One window read from one node. The node holds every block of it for final where that is asked, and the window continues from the
// block before. Every transfer comes from a whole block, whose transactions and their outcomes are proven; what will be credited is
// read from the solid side alone. Where the node's JSON-RPC lists transfers, only the blocks that pay us are read whole.

import { ChainError, type BlockRef, type BlockWindow, type Head, type Scan, type Watch } from '@/lib/networks/chain';
import { addressBytes, tronAddress } from '@/lib/networks/families/tron/address';
import { MOST_AT_ONCE, readWholeBlocks } from './block';
import { creditsOf, movementsOf, type Moved, type Tokens } from './decode';
import { listTransfers, LOGS_WINDOW, losesLogs, type LoggingNode } from './logs';
import { readBlock, type TronNode } from '@/lib/networks/families/tron/node';
import type { LoggedTransfer } from '@/lib/networks/families/tron/shapes';

/** What reading a node takes besides the node. */
export type Reading<N extends TronNode> = {
  readonly tokens: Tokens;
  /** The node's head; what it calls final never ceases to be, so it may be some seconds old. */
  readonly headOf: (node: N) => Promise<Head>;
};

/** One block; of its transactions only what moves our tokens is kept, however large it is. */
type Read = { readonly block: BlockRef; readonly moved: readonly Moved[] };

/** Scans a window, as ChainAdapter.scan says. */
export async function scanWindow<N extends LoggingNode>(
  node: N,
  { tokens, headOf }: Reading<N>,
  window: BlockWindow,
  watch: Watch,
): Promise<Scan> {
  const byLogs = node.logsOffered && window.rescan?.method !== 'blocks';
  checkSize(node, window, byLogs ? LOGS_WINDOW : node.largestWindow);
  const head = window.final || byLogs ? await headOf(node) : null;
  if (window.final && head && head.final.number < window.to) {
    throw new ChainError('unavailable', `${node.name} does not hold block ${window.to} for final yet`, {
      behind: true,
    });
  }
  const listed = byLogs ? await tryToList(node, tokens, window) : null;
  if (listed && head) return scanListed(node, tokens, { window, head, watch, listed });
  checkSize(node, window, node.largestWindow);
  return scanBlocks(node, tokens, window, watch);
}

function checkSize(node: TronNode, { from, to }: BlockWindow, most: number): void {
  if (to - from >= most) throw new ChainError('too_large', `${node.name} is asked for at most ${most} blocks at once`);
}

/** The transfers that the node lists; null when it does not any more, and blocks are read whole until it is proven again. */
async function tryToList(node: LoggingNode, tokens: Tokens, window: BlockWindow): Promise<LoggedTransfer[] | null> {
  const { from, to, rescan } = window;
  try {
    return await listTransfers(node, tokens, {
      from,
      to,
      ...(rescan && { recipient: addressBytes(rescan.recipient) }),
    });
  } catch (error) {
    // More transfers in one block than the node lists: it lists those of other blocks.
    if (error instanceof ChainError && error.fault === 'too_large' && from === to) return null;
    if (!losesLogs(error)) throw error;
    node.logsOffered = false;
    return null;
  }
}

/** By every block of the window. */
async function scanBlocks(node: TronNode, tokens: Tokens, window: BlockWindow, watch: Watch): Promise<Scan> {
  const read = await readBlocks(node, tokens, window);
  const through = checkOrder(node, window, read);
  const moved = read.flatMap((one) => one.moved);
  if (moved.length === 0) return { transfers: [], through, marks: [] };
  const recipients = new Set(moved.flatMap(({ movements }) => movements.map(({ to }) => to)));
  const watched = await watch.among([...recipients].map(tronAddress));
  return { transfers: creditsOf(moved, watched), through, marks: [] };
}

type Listed = {
  readonly window: BlockWindow;
  readonly head: Head;
  readonly watch: Watch;
  readonly listed: readonly LoggedTransfer[];
};

/** By the listed transfers: the blocks that hold one to a watched address are read whole. */
async function scanListed(node: LoggingNode, tokens: Tokens, given: Listed): Promise<Scan> {
  const { window, head, watch, listed } = given;
  const through = await edge(node, window, head, window.to);
  const first = window.from === window.to ? through : await edge(node, window, head, window.from);
  checkOrder(node, window, [{ block: first, moved: [] }]);
  if (listed.length === 0) return { transfers: [], through, marks: [] };
  const watched = await watch.among([...new Set(listed.map(({ to }) => tronAddress(to)))]);
  const own = new Map(listed.filter(({ to }) => watched.has(tronAddress(to))).map((one) => [one.blockNumber, one]));
  const moved: Moved[] = [];
  for (const number of [...own.keys()].toSorted((one, other) => one - other)) {
    const [read] = await readBlocks(node, tokens, { ...window, from: number, to: number });
    if (!read || read.block.hash !== own.get(number)?.blockHash) {
      throw new ChainError('contradiction', `${node.name} lists transfers of another block ${number}`);
    }
    moved.push(...read.moved);
  }
  return { transfers: creditsOf(moved, watched), through, marks: [] };
}

/** A block at an end of the window, which the head may have named already. */
async function edge(node: TronNode, window: BlockWindow, { tip, final }: Head, number: number): Promise<BlockRef> {
  const known = [final, tip].find((block) => block.number === number);
  const block = known ?? (await readBlock(node, window.final ? 'walletsolidity' : 'wallet', number));
  if (block) return block;
  throw new ChainError('unavailable', `${node.name} does not have block ${number}`);
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
