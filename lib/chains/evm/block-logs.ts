// The token logs of a window from one node: by one eth_getLogs, or, on nodes that refuse it (the official BSC ones,
// chains.md 1.1), from the receipts of every block. Both ways the result is complete for the window or an error.

import { ChainError, type BlockRef, type BlockWindow } from '../chain';
import type { NetworkSpec } from '../networks';
import { bloomOf, maySpeakOf } from './bloom';
import { areInOrder, checkLogs, readMovement, TRANSFER_TOPIC } from './decode';
import { hex, type EvmNode } from './node';
import { RpcError } from '../json-rpc/faults';
import { headerWithBloom, headerWithTransactions, logs, receipts, type Log, type Receipt } from './shapes';

/** The node's blocks at both ends of a window, and its last final block where the window is to be credited. */
export type WindowEdges = { readonly first: BlockRef; readonly last: BlockRef; readonly final: number | null };

/** `receipts` and `blocks` hold what was already read and proven on the way, for the proof of single transfers. */
export type WindowLogs = {
  readonly blockCount: number;
  readonly logs: readonly Log[];
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly blocks: ReadonlyMap<number, BlockRef>;
};

/**
 * Of a window to be credited, the blocks that are so near to the last final one are asked for one by one. Nodes behind one
 * address differ by a few blocks, on BSC by seconds; what is older, every one of them has.
 */
const PINNED_BLOCKS = 16;
/** A block's receipts are up to a megabyte, so a window of them is small. */
const RECEIPTS_WINDOW = 10;

/** Reads all logs of the window. `edges` are the node's blocks at both its ends. */
export async function readWindowLogs(
  node: EvmNode,
  spec: NetworkSpec,
  window: BlockWindow,
  edges: WindowEdges,
): Promise<WindowLogs> {
  if (node.logsRefused) return byReceipts(node, spec, window, edges);
  try {
    return await byFilter(node, spec, window, edges);
  } catch (error) {
    if (!(error instanceof RpcError) || !refusesLogs(error, window)) throw error;
    node.logsRefused = true;
    return byReceipts(node, spec, window, edges);
  }
}

/** The official BSC nodes say "limit exceeded" however little is asked, so one refused block means all are. */
const refusesLogs = (error: RpcError, window: BlockWindow): boolean =>
  error.methodMissing || (error.fault === 'too_large' && window.from === window.to);

async function byFilter(
  node: EvmNode,
  spec: NetworkSpec,
  window: BlockWindow,
  edges: WindowEdges,
): Promise<WindowLogs> {
  const pinnedFrom = firstPinned(window, edges);
  const range = pinnedFrom > window.from ? await logsOfRange(node, spec, { ...window, to: pinnedFrom - 1 }) : [];
  const pins = await readPinned(node, { ...window, from: pinnedFrom }, edges);
  const blocks = pins.map(({ block }) => block);
  const pinned = await logsOfBlocks(node, spec, blocks);
  for (const pin of pins) await confirmAbsence(node, spec, pin, pinned);
  const found = [...range, ...pinned];
  checkLogs(spec, window, [edges.first, edges.last, ...blocks], found);
  const byNumber = new Map(blocks.map((block) => [block.number, block]));
  return { blockCount: window.to - window.from + 1, logs: found, receipts: new Map(), blocks: byNumber };
}

/** The first block that is asked for by its hash. */
function firstPinned({ from, to, final, rescan }: BlockWindow, edges: WindowEdges): number {
  if (rescan) return rescan.method === 'blocks' ? from : to + 1;
  // Above finality a log that is missed now is read again below it; only the credit pass must miss none.
  if (!final) return to + 1;
  const settled = Math.min(to, (edges.final ?? to) - PINNED_BLOCKS);
  return Math.max(from, settled + 1);
}

/** What every log query asks for. No recipients: the answer follows the chain's traffic, not the number of our sessions. */
const tokenTransfers = (spec: NetworkSpec) => ({
  address: Object.values(spec.tokens).map(({ contract }) => contract),
  topics: [TRANSFER_TOPIC],
});

function logsOfRange(node: EvmNode, spec: NetworkSpec, { from, to, rescan }: BlockWindow): Promise<Log[]> {
  const transfers = tokenTransfers(spec);
  const topics = rescan ? [...transfers.topics, null, addressTopic(rescan.recipient)] : transfers.topics;
  const filter = { fromBlock: hex(from), toBlock: hex(to), ...transfers, topics };
  return node.rpc.call({ method: 'eth_getLogs', params: [filter], shape: logs });
}

const addressTopic = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`;

/** A block, and the Bloom filter of its logs where the node gives one. */
type Pin = { readonly block: BlockRef; readonly logsBloom: string | null };

/** The newest blocks of the window, read one after the other and proven to follow each other up to the window's end. */
async function readPinned(node: EvmNode, window: BlockWindow, edges: WindowEdges): Promise<Pin[]> {
  const numbers = Array.from({ length: Math.max(0, window.to - window.from + 1) }, (_, n) => window.from + n);
  const read = await node.rpc.batch(
    numbers.map((number) => ({
      method: 'eth_getBlockByNumber',
      params: [hex(number), false],
      shape: headerWithBloom,
    })),
  );
  const pins = read.map((pin, n) => {
    if (pin) return pin;
    throw new ChainError('unavailable', `${node.name} does not have block ${numbers[n]}`);
  });
  const follow = pins.every(
    ({ block }, n) => block.number === numbers[n] && (n === 0 || block.parentHash === pins[n - 1]?.block.hash),
  );
  if (follow && (pins.length === 0 || pins.at(-1)?.block.hash === edges.last.hash)) return pins;
  throw new ChainError('contradiction', `${node.name} gave blocks that do not follow each other`);
}

/**
 * The logs of blocks asked for by their hash. One address may stand for many nodes, and one that lags answers a range it
 * does not have with an empty list; a hash that it does not know is an error (hardening 3.3).
 */
async function logsOfBlocks(node: EvmNode, spec: NetworkSpec, blocks: readonly BlockRef[]): Promise<Log[]> {
  const filters = blocks.map(({ hash }) => ({ blockHash: hash, ...tokenTransfers(spec) }));
  const found = await node.rpc.batch(
    filters.map((filter) => ({ method: 'eth_getLogs', params: [filter], shape: logs })),
  );
  blocks.forEach(({ number, hash }, n) => {
    const own = found[n]?.every((log) => log.blockNumber === number && log.blockHash === hash);
    if (!own) throw new ChainError('contradiction', `${node.name} gave other blocks' logs for block ${number}`);
  });
  return found.flat();
}

/**
 * A block whose header speaks of a token that no log was given of is read once more by its receipts, which must bear the
 * header out (hardening 3.3). Throws `contradiction` when they do not, so that another endpoint is asked.
 */
async function confirmAbsence(node: EvmNode, spec: NetworkSpec, pin: Pin, found: readonly Log[]): Promise<void> {
  const { block, logsBloom } = pin;
  const present = new Set(
    found.filter(({ blockNumber }) => blockNumber === block.number).map(({ address }) => address),
  );
  const absent = Object.values(spec.tokens).filter(({ contract }) => !present.has(contract));
  const doubtful = absent.filter(
    ({ contract }) => logsBloom !== null && maySpeakOf(logsBloom, [contract, TRANSFER_TOPIC]),
  );
  if (doubtful.length === 0) return;
  const read = await receiptsIfOffered(node, block.number);
  if (!read) return;
  const all = read.receipts.flatMap((receipt) => receipt.logs);
  const hidden = all.some(
    ({ address, topics }) => topics[0] === TRANSFER_TOPIC && doubtful.some(({ contract }) => contract === address),
  );
  if (read.block.hash === block.hash && !hidden && bloomOf(all) === logsBloom) return;
  throw new ChainError('contradiction', `${node.name} kept back logs of block ${block.number}`);
}

/** A block's receipts, or null from a node that gives none; the comparison of balances remains then (lib/reconcile/balances). */
async function receiptsIfOffered(node: EvmNode, number: number) {
  try {
    return await readBlockReceipts(node, number);
  } catch (error) {
    if (error instanceof RpcError && (error.methodMissing || error.fault === 'too_large')) return null;
    throw error;
  }
}

async function byReceipts(
  node: EvmNode,
  spec: NetworkSpec,
  window: BlockWindow,
  edges: WindowEdges,
): Promise<WindowLogs> {
  if (window.to - window.from >= RECEIPTS_WINDOW) {
    throw new ChainError('too_large', `${node.name} reads at most ${RECEIPTS_WINDOW} blocks by their receipts`);
  }
  const found: Log[] = [];
  const byTransaction = new Map<string, Receipt>();
  const blocks = new Map<number, BlockRef>();
  let parentHash = edges.first.parentHash;
  for (let number = window.from; number <= window.to; number++) {
    const { block, receipts: list } = await readBlockReceipts(node, number);
    if (block.parentHash !== parentHash) {
      throw new ChainError('contradiction', `${node.name} gave blocks that do not follow each other`);
    }
    parentHash = block.hash;
    blocks.set(number, block);
    for (const receipt of list) {
      byTransaction.set(receipt.transactionHash, receipt);
      if (receipt.status === '0x1') found.push(...receipt.logs.filter((log) => readMovement(spec, log) !== null));
    }
  }
  if (parentHash !== edges.last.hash) {
    throw new ChainError('contradiction', `${node.name} replaced block ${window.to} while it was read`);
  }
  return { blockCount: blocks.size, logs: found, receipts: byTransaction, blocks };
}

/** All receipts of a block: exactly one for each of its transactions, in their order, and all of this very block. */
async function readBlockReceipts(node: EvmNode, number: number): Promise<{ block: BlockRef; receipts: Receipt[] }> {
  const read = await node.rpc.call({
    method: 'eth_getBlockByNumber',
    params: [hex(number), false],
    shape: headerWithTransactions,
  });
  const list = await node.rpc.call({ method: 'eth_getBlockReceipts', params: [hex(number)], shape: receipts });
  if (!read || !list)
    throw new ChainError('unavailable', `${node.name} does not have block ${number} with its receipts`);
  const { block, transactions } = read;
  const whole =
    block.number === number &&
    list.length === transactions.length &&
    list.every(
      (receipt, index) => receipt.transactionHash === transactions[index] && receipt.blockHash === block.hash,
    ) &&
    list.every(({ logs: own, transactionHash, blockHash }) =>
      own.every((log) => log.transactionHash === transactionHash && log.blockHash === blockHash),
    ) &&
    areInOrder(list.flatMap(({ logs: own }) => own));
  if (!whole) throw new ChainError('contradiction', `${node.name} gave receipts that are not those of block ${number}`);
  return { block, receipts: list };
}
