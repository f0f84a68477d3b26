// Scans one window on one node. The node must hold every block as final if required, and the window must continue from the block
// before it. Every transfer comes from a whole block whose transactions and outcomes are proven; transfers to be credited are
// read from the solid side only. If the node's JSON-RPC lists transfers, only the blocks with a transfer to or from a watched
// address are read whole.

import { ChainError, type BlockRef, type BlockWindow, type Head, type Scan, type Watch } from '@/lib/networks/chain';
import { addressBytes, tronAddress } from '@/lib/networks/families/tron/address';
import { MAX_AT_ONCE, readWholeBlocks } from './block';
import { movementsOf, transfersOf, type Moved, type Tokens } from './decode';
import { listTransfers, LOGS_WINDOW, losesLogs, type LoggingNode } from './logs';
import { readBlock, type TronNode } from '@/lib/networks/families/tron/node';
import type { LoggedTransfer } from '@/lib/networks/families/tron/shapes';

/** Inputs for reading a node, besides the node itself. */
export type Reading<N extends TronNode> = {
  readonly tokens: Tokens;
  /** The node's head. A final block never stops being final, so the head may be some seconds old. */
  readonly headOf: (node: N) => Promise<Head>;
};

/** One block; of its transactions only movements of our tokens are kept, however large the block is. */
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
    throw new ChainError('unavailable', `${node.name} has not finalized block ${window.to} yet`, {
      behind: true,
    });
  }
  const listed = byLogs ? await tryToList(node, tokens, window) : null;
  if (listed && head) return scanListed(node, tokens, { window, head, watch, listed });
  checkSize(node, window, node.largestWindow);
  return scanBlocks(node, tokens, window, watch);
}

function checkSize(node: TronNode, { from, to }: BlockWindow, most: number): void {
  if (to - from >= most) throw new ChainError('too_large', `${node.name} reads at most ${most} blocks per request`);
}

/**
 * The transfers that the node lists; null if it no longer lists them. Blocks are then read whole until the node is proven again.
 */
async function tryToList(node: LoggingNode, tokens: Tokens, window: BlockWindow): Promise<LoggedTransfer[] | null> {
  const { from, to, rescan } = window;
  try {
    return await listTransfers(node, tokens, {
      from,
      to,
      ...(rescan && { own: addressBytes(rescan.address) }),
    });
  } catch (error) {
    // A single block has more transfers than the node lists; the node still lists those of other blocks.
    if (error instanceof ChainError && error.fault === 'too_large' && from === to) return null;
    if (!losesLogs(error)) throw error;
    node.logsOffered = false;
    return null;
  }
}

/** Reads every block of the window. */
async function scanBlocks(node: TronNode, tokens: Tokens, window: BlockWindow, watch: Watch): Promise<Scan> {
  const read = await readBlocks(node, tokens, window);
  const through = checkOrder(node, window, read);
  const moved = read.flatMap((one) => one.moved);
  if (moved.length === 0) return { transfers: [], through, accountCursors: [] };
  const sides = new Set(moved.flatMap(({ movements }) => movements.flatMap((one) => sidesOf(window, one))));
  const watched = await watch.among([...sides].map(tronAddress));
  return { ...transfersOf(moved, watched), through, accountCursors: [] };
}

/**
 * Both sides of a transfer (twenty bytes each), or its sender where only outgoing transfers are read. A re-scan of an address lists only its
 * own transfers, which prove nothing about other addresses. Nodes without a list report the same in it, so that endpoints can agree.
 */
function sidesOf(
  { rescan, onlyOutgoing }: BlockWindow,
  { from, to }: { readonly from: string; readonly to: string },
): string[] {
  const only = rescan?.method === 'address' ? addressBytes(rescan.address) : null;
  return (onlyOutgoing ? [from] : [to, from]).filter((side) => only === null || side === only);
}

type Listed = {
  readonly window: BlockWindow;
  readonly head: Head;
  readonly watch: Watch;
  readonly listed: readonly LoggedTransfer[];
};

/** Reads whole only the blocks with a listed transfer to or from a watched address. */
async function scanListed(node: LoggingNode, tokens: Tokens, given: Listed): Promise<Scan> {
  const { window, head, watch, listed } = given;
  const through = await edge(node, window, head, window.to);
  const first = window.from === window.to ? through : await edge(node, window, head, window.from);
  checkOrder(node, window, [{ block: first, moved: [] }]);
  if (listed.length === 0) return { transfers: [], through, accountCursors: [] };
  const sided = listed.map((one) => ({ ...one, sides: sidesOf(window, one).map(tronAddress) }));
  const watched = await watch.among([...new Set(sided.flatMap(({ sides }) => sides))]);
  const isOurs = ({ sides }: { readonly sides: readonly string[] }) => sides.some((side) => watched.has(side));
  const own = new Map(sided.filter(isOurs).map((one) => [one.blockNumber, one]));
  const moved: Moved[] = [];
  for (const number of [...own.keys()].toSorted((one, other) => one - other)) {
    const [read] = await readBlocks(node, tokens, { ...window, from: number, to: number });
    if (!read || read.block.hash !== own.get(number)?.blockHash) {
      throw new ChainError('contradiction', `${node.name} lists transfers of another block ${number}`);
    }
    moved.push(...read.moved);
  }
  return { ...transfersOf(moved, watched), through, accountCursors: [] };
}

/** A block at an end of the window, which the head may have returned already. */
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
  for (let from = window.from; from <= window.to; from += MAX_AT_ONCE) {
    const to = Math.min(window.to, from + MAX_AT_ONCE - 1);
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

/** The last block, if all blocks follow each other and the block before the window. */
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
