// One TRON endpoint as the adapter uses it: its identity proof, its headers and its view of finality. All data here comes from
// this one endpoint.

import type { z } from 'zod';
import { ChainError, type BlockRef, type Head } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { requestAddress } from './address';
import type { Side, TronClient } from './http';
import { ApiMissingError } from './http-faults';
import type { Wait } from '@/lib/networks/endpoints/pacing';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';
import { constantCall, header } from './shapes';

export type TronNode = {
  readonly name: string;
  readonly client: TronClient;
  readonly wait: Wait;
  /** Blocks that one scan may span. */
  readonly largestWindow: number;
  /** False if the node cannot return a header without its transactions; whole blocks are then read instead. */
  headersOffered: boolean;
  /** False if the node does not return several blocks at once, or not in a readable answer. */
  rangesOffered: boolean;
  /** Absent: nothing is shared. */
  readonly shared?: SharedHead | undefined;
};

/** The caller of constant calls: any address may call; this one has no key. */
const CALLER = `41${'00'.repeat(20)}`;

/** The canonical block at a height as one side sees it, or null if it has none. */
export async function readBlock(node: TronNode, side: Side, number: number): Promise<BlockRef | null> {
  const read = await readHeader(node, side, number);
  if (read && read.number !== number) {
    throw new ChainError('contradiction', `${node.name} gave block ${read.number} for block ${number}`);
  }
  return read;
}

async function readHeader(node: TronNode, side: Side, number: number | null): Promise<BlockRef | null> {
  if (node.headersOffered) {
    const body = number === null ? { detail: false } : { id_or_num: String(number), detail: false };
    try {
      return checkId(node, await node.client.request({ side, api: 'getblock', body, shape: header }));
    } catch (error) {
      if (!(error instanceof ApiMissingError)) throw error;
      node.headersOffered = false;
    }
  }
  const [api, body] = number === null ? ['getnowblock', {}] : ['getblockbynum', { num: number }];
  return checkId(node, await node.client.request({ side, api, body, shape: header }));
}

/** The newest block of the solid side, or null if it has none. */
export const readSolid = (node: TronNode): Promise<BlockRef | null> => readHeader(node, 'walletsolidity', null);

/** A block's id begins with its height, so an id with another height is not this block's. */
export function checkId<T extends BlockRef | null>(node: TronNode, read: T): T {
  if (!read || Number.parseInt(read.hash.slice(0, 16), 16) === read.number) return read;
  throw new ChainError('contradiction', `${node.name} gave block ${read.number} with the id of another height`);
}

/** The node's newest block. */
export async function readTip(node: TronNode): Promise<BlockRef> {
  const tip = await readHeader(node, 'wallet', null);
  if (!tip) throw new ChainError('unavailable', `${node.name} has no newest block`);
  return tip;
}

/**
 * The node's newest block and its newest final block. A final block is solid and has as many confirmations as the network
 * requires, so that a node whose solid side is really its full side finalizes nothing too early.
 */
export async function readHead(node: TronNode, spec: NetworkSpec): Promise<Head> {
  const solid = await readHeader(node, 'walletsolidity', null);
  const tip = await readTip(node);
  if (!solid) throw new ChainError('unavailable', `${node.name} has no solid block`);
  if (solid.number > tip.number) {
    throw new ChainError('contradiction', `${node.name} calls block ${solid.number} solid above its newest`);
  }
  const counted = Math.max(0, tip.number - (spec.confirmations - 1));
  const final = solid.number <= counted ? solid : await readBlock(node, 'walletsolidity', counted);
  if (!final) throw new ChainError('unavailable', `${node.name} does not have block ${counted} among its solid ones`);
  const head = { tip, final };
  await node.shared?.keep(head);
  return head;
}

/**
 * Proves that the node serves the network on both its sides: genesis if known, and each token's decimals() as in the table.
 * Throws `wrong_chain` with a sentence for the operator.
 */
export async function proveNode(node: TronNode, spec: NetworkSpec): Promise<void> {
  const wrong = (what: string) =>
    new ChainError('wrong_chain', `${node.name} does not serve ${spec.network} (${spec.chain}): ${what}`);
  // The provider may have been reconfigured, so try the better methods again.
  node.headersOffered = true;
  node.rangesOffered = true;
  const genesis = await readGenesis(node, 'wallet');
  if (spec.genesis !== null && genesis.hash !== spec.genesis) throw wrong('its genesis block is another');
  const solid = await readGenesis(node, 'walletsolidity');
  if (solid.hash !== genesis.hash) throw wrong('its solid side is another chain');
  for (const [currency, token] of Object.entries(spec.tokens)) {
    const decimals = await readDecimals(node, token.contract);
    if (decimals === null) throw wrong(`it has no ${currency} at ${token.contract}`);
    if (decimals !== BigInt(token.decimals)) {
      throw wrong(`${currency} at ${token.contract} has ${decimals} decimals instead of ${token.decimals}`);
    }
  }
}

/** Block 0, which every full node has. */
export async function readGenesis(node: TronNode, side: Side): Promise<BlockRef> {
  const block = await readBlock(node, side, 0);
  if (block) return block;
  throw new ChainError('unavailable', `${node.name} has no genesis block`);
}

/** The decimals of a token, or null if no contract answers. */
async function readDecimals(node: TronNode, contract: string): Promise<bigint | null> {
  const body = {
    owner_address: CALLER,
    contract_address: requestAddress(contract),
    function_selector: 'decimals()',
    parameter: '',
  };
  const call = { side: 'wallet', api: 'triggerconstantcontract', body, shape: constantCall } as const;
  const { result, constant_result: words } = await node.client.request(call);
  if (result.code !== undefined && !saysNoContract(result)) {
    const cure = 'on a node of your own, set vm.supportConstant to true';
    throw new ChainError(
      'unavailable',
      `${node.name} refuses constant calls, so its tokens cannot be checked; ${cure}`,
    );
  }
  const [word] = words;
  return result.code === undefined && word?.length === 64 ? BigInt(`0x${word}`) : null;
}

function saysNoContract({ message = '' }: z.output<typeof constantCall>['result']): boolean {
  const text = /^(?:[0-9a-f]{2})+$/i.test(message) ? Buffer.from(message, 'hex').toString('utf8') : message;
  return /not exist|no contract|not a (?:valid )?smart contract/i.test(text);
}
