// The token logs of a window from one node: by one eth_getLogs, or, on nodes that refuse it (the official BSC ones,
// chains.md 1.1), from the receipts of every block. Both ways the result is complete for the window or an error.

import { ChainError, type BlockRef, type BlockWindow } from '../chain';
import type { NetworkSpec } from '../networks';
import { checkLogs, readMovement, TRANSFER_TOPIC } from './decode';
import { hex, type EvmNode } from './node';
import { RpcError } from './rpc-faults';
import { headerWithTransactions, logs, receipts, type Log, type Receipt } from './shapes';

/** The node's blocks at both ends of a window. */
export type WindowEdges = { readonly first: BlockRef; readonly last: BlockRef };

/** `receipts` and `blocks` hold what was already read and proven on the way, for the proof of single transfers. */
export type WindowLogs = {
  readonly blockCount: number;
  readonly logs: readonly Log[];
  readonly receipts: ReadonlyMap<string, Receipt>;
  readonly blocks: ReadonlyMap<number, BlockRef>;
};

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
  const filter = {
    fromBlock: hex(window.from),
    toBlock: hex(window.to),
    address: Object.values(spec.tokens).map(({ contract }) => contract),
    // No recipients: the answer's size follows the chain's traffic and not the number of our sessions.
    topics: [TRANSFER_TOPIC],
  };
  const found = await node.rpc.call({ method: 'eth_getLogs', params: [filter], shape: logs });
  checkLogs(spec, window, [edges.first, edges.last], found);
  return { blockCount: window.to - window.from + 1, logs: found, receipts: new Map(), blocks: new Map() };
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
    );
  if (!whole) throw new ChainError('contradiction', `${node.name} gave receipts that are not those of block ${number}`);
  return { block, receipts: list };
}
