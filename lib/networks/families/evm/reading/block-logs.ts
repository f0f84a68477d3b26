// The token logs of a window from one node: by one eth_getLogs, or by the receipts of every block on nodes that refuse it (the official BSC
// ones). Receipts are complete. A range of logs is only as complete as the node: a re-scan covers nodes that lag, and the comparison of
// balances detects other gaps (lib/ledger/reconciliation/balances).

import { blocksAtOnce, ChainError, type BlockRef, type BlockSpan, type BlockWindow } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { areInOrder, checkLogs, readMovement, TRANSFER_TOPIC } from './decode';
import {
  headerCall,
  hex,
  presentBlock,
  requireBlock,
  requireBlocks,
  type EvmNode,
} from '@/lib/networks/families/evm/node';
import { RpcError } from '@/lib/networks/endpoints/json-rpc/faults';
import {
  headerWithTransactions,
  logs,
  receipt as receiptShape,
  receipts,
  type Log,
  type Receipt,
} from '@/lib/networks/families/evm/shapes';

/** `receipts` and `blocks` hold what was read and proven along the way, for the proof of single transfers. */
export type WindowLogs = {
  /** The blocks at both ends of the window. */
  readonly first: BlockRef;
  readonly last: BlockRef;
  readonly logs: readonly Log[];
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly blocks: ReadonlyMap<number, BlockRef>;
};

/** A block's receipts are up to a megabyte, so the window is small. */
const RECEIPTS_WINDOW = 10;

/** Reads all logs of the window. `known`: the node's block at the window's end, if the node reported it for this scan. */
export async function readWindowLogs(
  node: EvmNode,
  spec: NetworkSpec,
  window: BlockWindow,
  known: BlockRef | null,
): Promise<WindowLogs> {
  if (window.rescan?.method === 'blocks') return byBlocks(node, spec, window);
  if (node.logsRefused) return byReceipts(node, spec, window);
  try {
    const found = await byFilter(node, spec, window, known);
    node.logsAnswered = true;
    return found;
  } catch (error) {
    if (!(error instanceof RpcError) || !refusesLogs(error, window)) throw error;
    // Anyone can fill one block with more logs than a provider lists.
    node.logsRefused = error.methodMissing || !node.logsAnswered;
    return byReceipts(node, spec, window);
  }
}

/** The official BSC nodes say "limit exceeded" even for one block, so one refused block means that all are refused. */
const refusesLogs = (error: RpcError, window: BlockWindow): boolean =>
  error.methodMissing || (error.fault === 'too_large' && blocksAtOnce(window) === 1);

/**
 * One range of logs, in one request with the headers at its ends. The node returns the last header after the logs, so it knew the
 * window's last block by then. Providers that spread one request over several nodes are why `window.again` exists.
 */
async function byFilter(
  node: EvmNode,
  spec: NetworkSpec,
  window: BlockWindow,
  known: BlockRef | null,
): Promise<WindowLogs> {
  const { from, to, final, again } = window;
  const spans = again ? [window, again] : [window];
  // Above finality, every log of a single block names that block, and the final scan reads it again.
  const last = known && !final && from === to ? known : null;
  const numbers = last ? [] : from === to ? [to] : [from, to];
  const calls = [
    ...numbers.slice(0, -1).map(headerCall),
    ...spans.flatMap((span) => rangeCalls(spec, { ...span, rescan: window.rescan })),
    ...numbers.slice(-1).map(headerCall),
  ];
  const answers = await node.rpc.batch(calls);
  const headers = answers.filter((one): one is BlockRef | null => !Array.isArray(one));
  const ends = last ? [last] : headers.map((block, n) => presentBlock(node, numbers[n] ?? to, block));
  const [first, through] = [ends[0], ends.at(-1)] as [BlockRef, BlockRef];
  if (final && known && known.hash !== through.hash) {
    throw new ChainError('contradiction', `${node.name} replaced block ${to} while it was read`);
  }
  const found = answers.filter(Array.isArray).map((own, n) => {
    checkLogs(spec, spans[n] ?? window, [first, through], own);
    return own;
  });
  return { first, last: through, logs: found.flat(), receipts: new Map(), blocks: refsOf([first, through]) };
}

const refsOf = (blocks: readonly BlockRef[]): ReadonlyMap<number, BlockRef> =>
  new Map(blocks.map((block) => [block.number, block]));

/**
 * The filter of every log query. It names no recipients, so the answer's size follows the chain's traffic and not our number of
 * sessions.
 */
const tokenTransfers = (spec: NetworkSpec) => ({
  address: Object.values(spec.tokens).map(({ contract }) => contract),
  topics: [TRANSFER_TOPIC],
});

/** The logs of all transfers, or in a re-scan those to and those from its address. */
function rangeCalls(
  spec: NetworkSpec,
  { from, to, rescan }: BlockSpan & { readonly rescan: BlockWindow['rescan'] | undefined },
) {
  const { topics: all, ...transfers } = tokenTransfers(spec);
  const own = rescan && addressTopic(rescan.address);
  const filters = own ? [[...all, null, own] as const, [...all, own] as const] : [all];
  return filters.map((topics) => ({
    method: 'eth_getLogs',
    params: [{ fromBlock: hex(from), toBlock: hex(to), ...transfers, topics }],
    shape: logs,
  }));
}

const addressTopic = (address: string): string => `0x${'0'.repeat(24)}${address.slice(2).toLowerCase()}`;

/** Every block separately: by its receipts, which are complete, or by its hash on nodes without receipts. */
async function byBlocks(node: EvmNode, spec: NetworkSpec, window: BlockWindow): Promise<WindowLogs> {
  try {
    return await byReceipts(node, spec, window);
  } catch (error) {
    if (!(error instanceof RpcError && error.methodMissing)) throw error;
    return byHashes(node, spec, window);
  }
}

/** The logs of blocks by their hashes. A node that does not have such a block answers with an error. */
async function byHashes(node: EvmNode, spec: NetworkSpec, window: BlockWindow): Promise<WindowLogs> {
  const numbers = Array.from({ length: window.to - window.from + 1 }, (_, n) => window.from + n);
  const blocks = await requireBlocks(node, numbers);
  const [first, last] = [blocks[0], blocks.at(-1)] as [BlockRef, BlockRef];
  if (!blocks.every((block, n) => n === 0 || block.parentHash === blocks[n - 1]?.hash)) {
    throw new ChainError('contradiction', `${node.name} gave blocks that do not follow each other`);
  }
  const filters = blocks.map(({ hash }) => ({ blockHash: hash, ...tokenTransfers(spec) }));
  const found = await node.rpc.batch(
    filters.map((filter) => ({ method: 'eth_getLogs', params: [filter], shape: logs })),
  );
  blocks.forEach((block, n) => checkLogs(spec, { from: block.number, to: block.number }, [block], found[n] ?? []));
  return { first, last, logs: found.flat(), receipts: new Map(), blocks: refsOf(blocks) };
}

async function byReceipts(node: EvmNode, spec: NetworkSpec, window: BlockWindow): Promise<WindowLogs> {
  if (window.to - window.from >= RECEIPTS_WINDOW) {
    throw new ChainError('too_large', `${node.name} reads at most ${RECEIPTS_WINDOW} blocks by their receipts`);
  }
  const found: Log[] = [];
  const byTransaction = new Map<string, Receipt>();
  const blocks = new Map<number, BlockRef>();
  const last = await requireBlock(node, window.to);
  let parentHash: string | null = null;
  for (let number = window.from; number <= window.to; number++) {
    const { block, receipts: list } = await readBlockReceipts(node, number);
    if (parentHash !== null && block.parentHash !== parentHash) {
      throw new ChainError('contradiction', `${node.name} gave blocks that do not follow each other`);
    }
    parentHash = block.hash;
    blocks.set(number, block);
    for (const receipt of list) {
      byTransaction.set(receipt.transactionHash, receipt);
      if (receipt.status === '0x1') found.push(...receipt.logs.filter((log) => readMovement(spec, log) !== null));
    }
  }
  if (parentHash !== last.hash) {
    throw new ChainError('contradiction', `${node.name} replaced block ${window.to} while it was read`);
  }
  const first = blocks.get(window.from) ?? last;
  return { first, last, logs: found, receipts: byTransaction, blocks };
}

/** All receipts of a block: exactly one for each of its transactions, in their order, and all of this very block. */
export async function readBlockReceipts(
  node: EvmNode,
  number: number,
): Promise<{ block: BlockRef; receipts: Receipt[] }> {
  const read = await node.rpc.call({
    method: 'eth_getBlockByNumber',
    params: [hex(number), false],
    shape: headerWithTransactions,
  });
  const list = read && (await readReceiptsOf(node, number, read.transactions));
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

/** Read in one answer, or one by one if the answer is too long. Anyone can cause that for the price of its gas. */
async function readReceiptsOf(
  node: EvmNode,
  number: number,
  transactions: readonly string[],
): Promise<Receipt[] | null> {
  try {
    return await node.rpc.call({ method: 'eth_getBlockReceipts', params: [hex(number)], shape: receipts });
  } catch (error) {
    if (!(error instanceof ChainError) || error.fault !== 'too_large') throw error;
  }
  const read = await node.rpc.batch(
    transactions.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash], shape: receiptShape })),
  );
  return read.every((one) => one !== null) ? read : null;
}
