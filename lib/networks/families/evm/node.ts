// One EVM endpoint as the adapter uses it: its proof of identity, its headers and its view of finality. Everything here
// comes from this one endpoint.

import { ChainError, type BlockRef, type Head } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { RpcCall, RpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';
import { header, quantity, wordOrNothing } from './shapes';

export type EvmNode = {
  readonly name: string;
  readonly rpc: RpcClient;
  /** Set when the node does not answer eth_getLogs at all; its blocks are then read receipt by receipt. */
  logsRefused: boolean;
  /** Whether it has answered eth_getLogs since it was proven. What it refuses then is one block, and not the method. */
  logsAnswered?: boolean;
  /** Set while the node is known not to read many balances in one call; each is then read by a call of its own. */
  manyBalancesRefused?: boolean;
  /** The head as the node told it last. What it called final then is final for ever, so a scan need not ask again. */
  head?: Head;
  /** Absent: nothing is shared. */
  readonly shared?: SharedHead | undefined;
};

/** Selector of decimals(). */
const DECIMALS = '0x313ce567';
export const hex = (value: number): string => `0x${value.toString(16)}`;

export const headerCall = (block: number | 'latest' | 'finalized'): RpcCall<BlockRef | null> => ({
  method: 'eth_getBlockByNumber',
  params: [typeof block === 'number' ? hex(block) : block, false],
  shape: header,
});

/** The canonical block at a height, or null when the node has none. */
export async function readBlock(node: EvmNode, number: number): Promise<BlockRef | null> {
  return checkNumber(node, number, await node.rpc.call(headerCall(number)));
}

/** The same, where the block must be there. */
export async function requireBlock(node: EvmNode, number: number): Promise<BlockRef> {
  return presentBlock(node, number, await node.rpc.call(headerCall(number)));
}

/** Several blocks that must all be there, in the order of their numbers. */
export async function requireBlocks(node: EvmNode, numbers: readonly number[]): Promise<BlockRef[]> {
  const found = await node.rpc.batch(numbers.map(headerCall));
  return numbers.map((number, index) => presentBlock(node, number, found[index] ?? null));
}

/** The block of that number out of an answer that must hold it. */
export const presentBlock = (node: EvmNode, number: number, block: BlockRef | null): BlockRef => {
  if (checkNumber(node, number, block)) return block as BlockRef;
  throw new ChainError('unavailable', `${node.name} does not have block ${number}`);
};

function checkNumber(node: EvmNode, number: number, block: BlockRef | null): BlockRef | null {
  if (!block || block.number === number) return block;
  throw new ChainError('contradiction', `${node.name} gave block ${block.number} for block ${number}`);
}

/** The node's newest and newest final block. Throws when it does not know finality. */
export async function readHead(node: EvmNode, spec: NetworkSpec): Promise<Head> {
  const [finalized, tip] = await node.rpc.batch([headerCall('finalized'), headerCall('latest')]);
  if (!tip) throw new ChainError('unavailable', `${node.name} has no latest block`);
  if (!finalized) throw new ChainError('unavailable', `${node.name} has no finalized block`);
  if (finalized.number > tip.number) {
    throw new ChainError('contradiction', `${node.name} calls block ${finalized.number} final above its newest`);
  }
  return noteHead(node, { tip, final: await finalOf(node, spec, { tip, finalized }) });
}

/** Nearer than this to the newest block, a final block serves as both. */
const NEAR_BLOCKS = 4;

/**
 * The same for the watcher, which reads the head all day. Where finality follows the newest block closely and has moved since the
 * last answer, one request does: the final block stands for the newest one too. Where it stands still, the newest tells by how much.
 */
export async function followHead(node: EvmNode, spec: NetworkSpec): Promise<Head> {
  const last = node.head;
  const isNear = last !== undefined && last.tip.number - last.final.number <= NEAR_BLOCKS;
  if (!isNear || spec.chain === 'local') return readHead(node, spec);
  const final = await node.rpc.call(headerCall('finalized'));
  if (!final || final.number <= last.final.number) return readHead(node, spec);
  return noteHead(node, { tip: final, final });
}

async function noteHead(node: EvmNode, head: Head): Promise<Head> {
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

/** The node's head of its last answer where it shows that a block is final, else a new one. A local chain may start afresh. */
export async function readFinality(node: EvmNode, spec: NetworkSpec, number: number): Promise<Head> {
  const known = spec.genesis === null ? undefined : node.head;
  return known && known.final.number >= number ? known : readHead(node, spec);
}

/**
 * Proves that the node serves the network: chain id, genesis where it is known, and each token's decimals() as in the table
 * (chains.md section 6, row 17). Throws `wrong_chain` with a sentence for the operator.
 */
export async function proveNode(node: EvmNode, spec: NetworkSpec): Promise<void> {
  const wrong = (what: string) =>
    new ChainError('wrong_chain', `${node.name} does not serve ${spec.network} (${spec.chain}): ${what}`);
  const chainId = await node.rpc.call({ method: 'eth_chainId', params: [], shape: quantity });
  if (chainId !== spec.chainId) throw wrong(`its chain id is ${chainId} instead of ${spec.chainId}`);
  // A pruned node may have lost block 0; the chain id and the contracts then have to do.
  const genesis = spec.genesis === null ? null : await readBlock(node, 0);
  if (genesis && genesis.hash !== spec.genesis) throw wrong('its genesis block is another');
  for (const [currency, token] of Object.entries(spec.tokens)) {
    const decimals = await readDecimals(node, token.contract);
    if (decimals === null) throw wrong(`it has no ${currency} at ${token.contract}`);
    if (decimals !== BigInt(token.decimals)) {
      throw wrong(`${currency} at ${token.contract} has ${decimals} decimals instead of ${token.decimals}`);
    }
  }
  // A provider may have been reconfigured since it refused, so both are tried again.
  node.logsRefused = false;
  node.logsAnswered = false;
  node.manyBalancesRefused = false;
}

/** The decimals of a token, or null when no contract answers. */
async function readDecimals(node: EvmNode, contract: string): Promise<bigint | null> {
  const params = [{ to: contract, data: DECIMALS }, 'latest'];
  return node.rpc.call({ method: 'eth_call', params, shape: wordOrNothing });
}
