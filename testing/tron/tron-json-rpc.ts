// java-tron's JSON-RPC for a fake chain: its chain id and lists of logs, in Ethereum's format (docs/network-facts.md#tron).

import { localChainId } from '@/testing/local-chain-id';
import { infoOf, type TronBlock, type TronLog } from './tron-shapes';

export type TronRpcCall = { id: number; method: string; params: unknown[] };

/** The number of blocks that one query may span by java-tron's defaults. */
const MAX_BLOCKS = 5000;

/** The result of a call, or `{ error }`. */
export function tronRpcResult(blocks: readonly TronBlock[], { method, params }: TronRpcCall): unknown {
  if (method === 'eth_chainId') return quantity(localChainId('tron'));
  if (method === 'eth_getLogs') return logsOf(blocks, params[0] as Filter);
  return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } };
}

type Filter = { fromBlock: string; toBlock: string; address: string[]; topics: (string | null)[] };

function logsOf(blocks: readonly TronBlock[], { fromBlock, toBlock, address, topics }: Filter): unknown {
  const [from, to] = [Number(fromBlock), Number(toBlock)];
  if (from > to) return { error: { code: -32602, message: 'please verify: fromBlock <= toBlock' } };
  if (Math.min(to, blocks.length - 1) - from > MAX_BLOCKS) {
    return { error: { code: -32602, message: `exceed max block range: ${MAX_BLOCKS}` } };
  }
  return blocks.slice(from, to + 1).flatMap((block) => {
    let index = 0;
    return block.transactions.flatMap((own, position) =>
      ((infoOf(block, own) as { log?: TronLog[] }).log ?? []).flatMap((log) => {
        const logIndex = quantity(index++);
        const matches = topics.every((topic, n) => topic === null || topic === `0x${log.topics?.[n]}`);
        if (!address.includes(`0x${log.address}`) || !matches) return [];
        return {
          address: `0x${log.address}`,
          topics: (log.topics ?? []).map((topic) => `0x${topic}`),
          data: `0x${log.data ?? ''}`,
          blockNumber: quantity(block.number),
          blockHash: `0x${block.id}`,
          blockTimestamp: quantity(Math.floor(block.time / 1000)),
          transactionHash: `0x${own.id}`,
          transactionIndex: quantity(position),
          logIndex,
          removed: false,
        };
      }),
    );
  });
}

const quantity = (number: number): string => `0x${number.toString(16)}`;
