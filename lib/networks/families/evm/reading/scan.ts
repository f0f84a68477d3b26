// Scans one window on one node. The node has both ends of the window, and returned the last one after the logs. The window
// continues from the block before it. The receipt of every transfer to or from a watched address confirms it in a canonical block.

import { ChainError, type BlockRef, type BlockWindow, type Scan, type Watch } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { readWindowLogs, type WindowLogs } from './block-logs';
import { proveTransaction, readMovement, type ProvenTransaction } from './decode';
import { readFinality, requireBlocks, type EvmNode } from '@/lib/networks/families/evm/node';
import { receipt as receiptShape, type Log, type Receipt } from '@/lib/networks/families/evm/shapes';

/** Each needs a receipt; a window with more payments to our addresses than this must be smaller. */
const MAX_TRANSACTIONS = 1000;

/** Scans a window, as ChainAdapter.scan says. */
export async function scanWindow(node: EvmNode, spec: NetworkSpec, window: BlockWindow, watch: Watch): Promise<Scan> {
  const found = await readWindowLogs(node, spec, window, await knownEnd(node, spec, window));
  const { first, last: through } = found;
  if (window.parentHash !== null && first.parentHash !== window.parentHash) {
    throw new ChainError(
      'reorganised',
      `${node.name}: block ${window.from} does not continue from the block known before it`,
    );
  }
  // A re-scan of an address reads only its own logs, which prove nothing about other addresses.
  const only = window.rescan?.method === 'address' ? window.rescan.address : null;
  const candidates = found.logs.flatMap((log) => {
    const movement = readMovement(spec, log);
    const sides = movement ? [movement.to, movement.from].filter((side) => only === null || side === only) : [];
    return sides.length > 0 ? [{ log, sides, payer: movement?.from }] : [];
  });
  if (candidates.length === 0) return { transfers: [], through, accountCursors: [] };
  const addresses = candidates.flatMap(({ sides, payer }) => (window.onlyOutgoing ? (payer ?? []) : sides));
  const watched = await watch.among([...new Set(addresses)]);
  const ours = candidates.filter(({ sides }) => sides.some((side) => watched.has(side))).map(({ log }) => log);
  const proven = await prove(node, spec, { window, found, ours, watched });
  return { ...joined(proven), through, accountCursors: [] };
}

/** The window's last block from the node's head. In a window to be credited, the same node must report it as final. */
async function knownEnd(node: EvmNode, spec: NetworkSpec, window: BlockWindow): Promise<BlockRef | null> {
  if (!window.final) return spec.genesis !== null && node.head?.tip.number === window.to ? node.head.tip : null;
  const { final } = await readFinality(node, spec, window.to);
  if (final.number >= window.to) return final.number === window.to ? final : null;
  throw new ChainError('unavailable', `${node.name} has not finalized block ${window.to} yet`, { behind: true });
}

type Proof = {
  readonly window: BlockWindow;
  readonly found: WindowLogs;
  readonly ours: readonly Log[];
  readonly watched: ReadonlySet<string>;
};

async function prove(
  node: EvmNode,
  spec: NetworkSpec,
  { window, found, ours, watched }: Proof,
): Promise<ProvenTransaction[]> {
  const hashes = [...new Set(ours.map(({ transactionHash }) => transactionHash))];
  if (hashes.length > MAX_TRANSACTIONS && window.to > window.from)
    throw new ChainError('too_large', `the window holds ${hashes.length} payments`);
  const blocks = await readBlocks(node, found, ours);
  const receipts = await readReceipts(node, found, hashes);
  return receipts.map((receipt) => {
    const logs = ours.filter(({ transactionHash }) => transactionHash === receipt.transactionHash);
    const block = blocks.get(receipt.blockNumber);
    if (!block) throw new ChainError('contradiction', `${node.name} lists ${receipt.transactionHash} in another block`);
    return proveTransaction({ spec, receipt, block, found: logs, watched });
  });
}

const joined = (proven: readonly ProvenTransaction[]): Pick<Scan, 'transfers' | 'outgoing'> => ({
  transfers: proven.flatMap(({ transfers }) => transfers),
  outgoing: proven.flatMap(({ outgoing }) => outgoing),
});

async function readBlocks(
  node: EvmNode,
  found: WindowLogs,
  ours: readonly Log[],
): Promise<ReadonlyMap<number, BlockRef>> {
  const missing = [...new Set(ours.map(({ blockNumber }) => blockNumber))].filter(
    (number) => !found.blocks.has(number),
  );
  const read = await requireBlocks(node, missing);
  return new Map([...found.blocks, ...read.map((block) => [block.number, block] as const)]);
}

async function readReceipts(node: EvmNode, found: WindowLogs, hashes: readonly string[]): Promise<Receipt[]> {
  const missing = hashes.filter((hash) => !found.receipts.has(hash));
  const read = await node.rpc.batch(
    missing.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash], shape: receiptShape })),
  );
  const fetched = new Map(missing.map((hash, index) => [hash, read[index] ?? null]));
  return hashes.map((hash) => {
    const receipt = found.receipts.get(hash) ?? fetched.get(hash);
    if (!receipt) throw new ChainError('unavailable', `${node.name} lists a transfer but has no receipt of ${hash}`);
    if (receipt.transactionHash === hash) return receipt;
    throw new ChainError('contradiction', `${node.name} gave another transaction's receipt for ${hash}`);
  });
}
