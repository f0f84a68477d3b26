// Reads a token's balances of many addresses in one eth_call, through creation code that the node runs without deploying it
// (read-balances.sol). Single calls cover addresses that such a call does not report.

import { z } from 'zod';
import { ChainError } from '@/lib/networks/chain';
import { hex, type EvmNode } from '@/lib/networks/families/evm/node';
import { READ_BALANCES_CODE } from './read-balances-code';

/**
 * Addresses in one eth_call. A proxied token uses about 30,000 gas for each, so 100 use about 4 million with the result; nodes allow
 * 50 million or less. The code with its arguments has 4,201 bytes, of 49,152 that EIP-3860 allows, and the result 3,264, of 24,576
 * that EIP-170 allows. The bits of `unread` allow 256.
 */
const ADDRESSES_PER_CALL = 100;
/** Words of the result before the balances: the block number, and a bit for each balance that the token did not return. */
const HEAD_WORDS = 2;

export type BalanceQuery = {
  readonly contract: string;
  readonly addresses: readonly string[];
  readonly block: number;
};
type Amounts = ReadonlyMap<string, bigint>;

/**
 * The balances at a block by address, without those that the token did not return. Null if the node does not run such calls, or
 * returns something else. Throws a ChainError if the node is throttled.
 */
export async function readManyBalances(node: EvmNode, query: BalanceQuery): Promise<Amounts | null> {
  const { addresses } = query;
  const parts = Array.from({ length: Math.ceil(addresses.length / ADDRESSES_PER_CALL) }, (_, n) => ({
    ...query,
    addresses: addresses.slice(n * ADDRESSES_PER_CALL, (n + 1) * ADDRESSES_PER_CALL),
  }));
  try {
    const answers = await node.rpc.batch(parts.map(callOf));
    return answers.includes(null) ? null : new Map(answers.flatMap((one) => [...(one ?? [])]));
  } catch (error) {
    if (error instanceof ChainError && error.fault === 'unavailable' && !error.throttled) return null;
    throw error;
  }
}

function callOf(part: BalanceQuery) {
  const { contract, addresses, block } = part;
  const words = [BigInt(contract), 64n, BigInt(addresses.length), ...addresses.map(BigInt)];
  const data = READ_BALANCES_CODE + words.map((word) => word.toString(16).padStart(64, '0')).join('');
  // Any other answer is handled here, so that it leads to single calls and not to a fault of the endpoint.
  const shape = z.unknown().transform((answer) => amountsIn(answer, part));
  return { method: 'eth_call', params: [{ data }, hex(block)], shape };
}

/** Null: not the result for these addresses at this block. */
function amountsIn(answer: unknown, { addresses, block }: BalanceQuery): Amounts | null {
  if (typeof answer !== 'string' || !/^0x(?:[0-9a-fA-F]{64})+$/.test(answer)) return null;
  const words =
    answer
      .slice(2)
      .match(/.{64}/g)
      ?.map((word) => BigInt(`0x${word}`)) ?? [];
  const [number, unread = 0n] = words;
  if (words.length !== HEAD_WORDS + addresses.length || number !== BigInt(block)) return null;
  if (unread >> BigInt(addresses.length) !== 0n) return null;
  const isRead = (index: number): boolean => ((unread >> BigInt(index)) & 1n) === 0n;
  return new Map(
    addresses.flatMap((address, index) => (isRead(index) ? [[address, words[HEAD_WORDS + index] ?? 0n] as const] : [])),
  );
}
