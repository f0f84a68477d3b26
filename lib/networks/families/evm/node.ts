// One EVM endpoint as the adapter uses it: its identity proof, its headers and its view of finality. All data here comes from
// this one endpoint.

import { ChainError, type BlockRef, type Head } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { RpcCall, RpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';
import { header, quantity, wordOrNothing } from './shapes';

export type EvmNode = {
  readonly name: string;
  readonly rpc: RpcClient;
  /** Set if the node does not answer eth_getLogs at all; its blocks are then read receipt by receipt. */
  logsRefused: boolean;
  /** Whether it answered eth_getLogs since its proof. A later refusal then concerns one block and not the method. */
  logsAnswered?: boolean;
  /** Set while the node is known to refuse many balances in one call; each is then read by its own call. */
  manyBalancesRefused?: boolean;
  /** The last head that the node reported. A final block stays final, so a scan need not read it again. */
  head?: Head;
  /** Absent: nothing is shared. */
  readonly shared?: SharedHead | undefined;
};

export const openEvmNode = (endpoint: Pick<EvmNode, 'name' | 'rpc' | 'shared'>): EvmNode => ({
  ...endpoint,
  logsRefused: false,
});

/** Selector of decimals(). */
const DECIMALS = '0x313ce567';
export const hex = (value: number): string => `0x${value.toString(16)}`;

export const headerCall = (block: number | 'latest' | 'finalized'): RpcCall<BlockRef | null> => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? hex(block) : block, false],
  shape: header,
});

/** The canonical block at a height, or null if the node has none. */
export async function readBlock(node: EvmNode, number: number): Promise<BlockRef | null> {
  return checkNumber(node, number, await node.rpc.call(headerCall(number)));
}

/** Same as readBlock, but throws if the block is missing. */
export async function requireBlock(node: EvmNode, number: number): Promise<BlockRef> {
  return presentBlock(node, number, await node.rpc.call(headerCall(number)));
}

/** Several blocks in the order of their numbers; throws if one is missing. */
export async function requireBlocks(node: EvmNode, numbers: readonly number[]): Promise<BlockRef[]> {
  const found = await node.rpc.batch(numbers.map(headerCall));
  return numbers.map((number, index) => presentBlock(node, number, found[index] ?? null));
}

/** Returns the block of that number; throws if the answer does not contain it. */
export const presentBlock = (node: EvmNode, number: number, block: BlockRef | null): BlockRef => {
  if (checkNumber(node, number, block)) return block as BlockRef;
  throw new ChainError('unavailable', `${node.name} does not have block ${number}`);
};

function checkNumber(node: EvmNode, number: number, block: BlockRef | null): BlockRef | null {
  if (!block || block.number === number) return block;
  throw new ChainError('contradiction', `${node.name} gave block ${block.number} for block ${number}`);
}

/** The node's newest and newest final block. Throws if the node does not report finality. */
export async function readHead(node: EvmNode, spec: NetworkSpec): Promise<Head> {
  const [finalized, tip] = await node.rpc.batch([headerCall('finalized'), headerCall('latest')]);
  if (!tip) throw new ChainError('unavailable', `${node.name} has no latest block`);
  if (!finalized) throw new ChainError('unavailable', `${node.name} has no finalized block`);
  if (finalized.number > tip.number) {
    throw new ChainError('contradiction', `${node.name} calls block ${finalized.number} final above its newest`);
  }
  return recordHead(node, { tip, final: await finalOf(node, spec, { tip, finalized }) });
}

/** A final block nearer than this to the newest block serves as both. */
const NEAR_BLOCKS = 4;

/**
 * Same for the watcher, which reads the head all day. If finality follows the newest block closely and has moved since the last answer, one
 * request suffices: the final block also stands for the newest one. If finality is stuck, the newest block is read too, to measure the
 * distance.
 */
export async function followHead(node: EvmNode, spec: NetworkSpec): Promise<Head> {
  const last = node.head;
  const isNear = last !== undefined && last.tip.number - last.final.number <= NEAR_BLOCKS;
  if (!isNear || spec.chain === 'local') return readHead(node, spec);
  const final = await node.rpc.call(headerCall('finalized'));
  if (!final || final.number <= last.final.number) return readHead(node, spec);
  return recordHead(node, { tip: final, final });
}

async function recordHead(node: EvmNode, head: Head): Promise<Head> {
  node.head = head;
  await node.shared?.keep(head);
  return head;
}

async function finalOf(
  node: EvmNode,
  { finalityFallback: rule }: NetworkSpec,
  { tip, finalized }: { tip: BlockRef; finalized: BlockRef },
): Promise<BlockRef> {
  if (!rule || tip.number - finalized.number <= rule.lagAbove) return finalized;
  const counted = tip.number - rule.confirmations;
  return counted > finalized.number ? requireBlock(node, counted) : finalized;
}

/** The node's last head if it shows that a block is final, otherwise a new one. A local chain may restart. */
export async function readFinality(node: EvmNode, spec: NetworkSpec, number: number): Promise<Head> {
  const known = spec.genesis === null ? undefined : node.head;
  return known && known.final.number >= number ? known : readHead(node, spec);
}

/**
 * Proves that the node serves the network: chain id, genesis if known, and each token's decimals() as in the table. Throws
 * `wrong_chain` with a sentence for the operator.
 */
export async function proveNode(node: EvmNode, spec: NetworkSpec): Promise<void> {
  const wrong = (what: string) =>
    new ChainError('wrong_chain', `${node.name} does not serve ${spec.network} (${spec.chain}): ${what}`);
  const chainId = await node.rpc.call({ method: 'eth_chainId', params: [], shape: quantity });
  if (chainId !== spec.chainId) throw wrong(`its chain id is ${chainId} instead of ${spec.chainId}`);
  // A pruned node may no longer have block 0; the chain id and the contracts then suffice.
  const genesis = spec.genesis === null ? null : await readBlock(node, 0);
  if (genesis && genesis.hash !== spec.genesis) throw wrong('its genesis block is another');
  for (const [currency, token] of Object.entries(spec.tokens)) {
    const decimals = await readDecimals(node, token.contract);
    if (decimals === null) throw wrong(`it has no ${currency} at ${token.contract}`);
    if (decimals !== BigInt(token.decimals)) {
      throw wrong(`${currency} at ${token.contract} has ${decimals} decimals instead of ${token.decimals}`);
    }
  }
  // The provider may have been reconfigured since it refused, so both are tried again.
  node.logsRefused = false;
  node.logsAnswered = false;
  node.manyBalancesRefused = false;
}

/** The decimals of a token, or null if no contract answers. */
async function readDecimals(node: EvmNode, contract: string): Promise<bigint | null> {
  const params = [{ to: contract, data: DECIMALS }, 'latest'];
  return node.rpc.call({ method: 'eth_call', params, shape: wordOrNothing });
}
