// java-tron's read-only JSON-RPC at /jsonrpc, in Ethereum's format: addresses are their last 20 bytes, hashes have 0x.

import { fromEvm, toEvm } from '../address';
import type { Block, Entry } from '../block';
import type { TronChain } from '../chain';
import type { Log } from '../evm';
import type { Json } from '../views';

/** A node's limit for the block range of one query. */
const MAX_BLOCKS = 5000;
const CALL_ENERGY = 100_000_000n;

export class RpcFault extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Method = (chain: TronChain, parameters: readonly unknown[]) => unknown;

const METHODS: Readonly<Record<string, Method>> = {
  eth_chainId: (chain) => quantity(chain.chainId),
  net_version: (chain) => quantity(chain.chainId),
  eth_blockNumber: (chain) => quantity(chain.head().number),
  eth_gasPrice: ({ state }) => quantity(Number(state.energyPrice)),
  eth_getBalance: (chain, [address]) => `0x${chain.state.account(fromEvm(String(address))).balance.toString(16)}`,
  eth_call: async (chain, [call]) => {
    const { from, to, data, input } = call as { from?: string; to: string; data?: string; input?: string };
    const caller = fromEvm(from ?? `0x${'0'.repeat(40)}`);
    const bytes = Buffer.from((data ?? input ?? '0x').slice(2), 'hex');
    const run = { from: caller, to: fromEvm(to), data: bytes, value: 0n, energyLimit: CALL_ENERGY };
    const { outcome, returned } = await chain.dryRun(run);
    if (outcome !== 'SUCCESS') throw new RpcFault(-32000, 'REVERT opcode executed');
    return `0x${returned.toString('hex')}`;
  },
  eth_getBlockByNumber: (chain, [tag]) => blockJson(chain.block(numberOf(chain, tag))),
  eth_getBlockByHash: (chain, [hash]) => blockJson(byHash(chain, String(hash))),
  eth_getTransactionReceipt: (chain, [hash]) => {
    const { included } = chain.known(String(hash).slice(2)) ?? {};
    const block = included && chain.block(included.block);
    return block ? receiptJson(block, block.entries.indexOf(included.entry)) : null;
  },
  eth_getBlockReceipts: (chain, [tag]) => {
    const block = chain.block(numberOf(chain, tag));
    return block ? block.entries.map((_, index) => receiptJson(block, index)) : null;
  },
  eth_getLogs: (chain, [filter]) => findLogs(chain, filter as Filter),
};

/** The result of a call. Throws RpcFault. */
export function answerRpc(chain: TronChain, method: string, parameters: readonly unknown[]): unknown {
  const answer = METHODS[method];
  if (!answer) throw new RpcFault(-32601, `the method ${method} does not exist/is not available`);
  return answer(chain, parameters);
}

const quantity = (number: number): string => `0x${number.toString(16)}`;

function numberOf(chain: TronChain, tag: unknown): number {
  if (tag === undefined || tag === 'latest') return chain.head().number;
  if (tag === 'finalized') return chain.solid().number;
  if (tag === 'earliest') return 0;
  if (typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag)) return Number(tag);
  throw new RpcFault(-32602, 'invalid block number');
}

function byHash(chain: TronChain, hash: string): Block | undefined {
  const block = chain.block(parseInt(hash.slice(2, 18), 16));
  return block && `0x${block.id}` === hash.toLowerCase() ? block : undefined;
}

const blockJson = (block: Block | undefined): Json | null =>
  block
    ? {
        number: quantity(block.number),
        hash: `0x${block.id}`,
        parentHash: `0x${block.parent}`,
        timestamp: quantity(Math.floor(block.time / 1000)),
        miner: toEvm(block.witness.address),
        nonce: `0x${'0'.repeat(16)}`,
        difficulty: '0x0',
        extraData: '0x',
        gasLimit: quantity(Number(CALL_ENERGY)),
        gasUsed: quantity(0),
        transactions: block.entries.map(({ transaction }) => `0x${transaction.id}`),
      }
    : null;

type FoundLog = { readonly log: Log; readonly json: Json };

function logsOf(block: Block): FoundLog[] {
  let index = 0;
  return block.entries.flatMap(({ transaction, receipt }, position) =>
    ((receipt.log ?? []) as Log[]).map((log) => ({
      log,
      json: {
        address: `0x${log.address}`,
        topics: log.topics.map((topic) => `0x${topic}`),
        data: `0x${log.data ?? ''}`,
        blockNumber: quantity(block.number),
        blockHash: `0x${block.id}`,
        blockTimestamp: quantity(Math.floor(block.time / 1000)),
        transactionHash: `0x${transaction.id}`,
        transactionIndex: quantity(position),
        logIndex: quantity(index++),
        removed: false,
      },
    })),
  );
}

function receiptJson(block: Block, position: number): Json {
  const { transaction, outcome, receipt } = block.entries[position] as Entry;
  const hash = `0x${transaction.id}`;
  return {
    transactionHash: hash,
    transactionIndex: quantity(position),
    blockHash: `0x${block.id}`,
    blockNumber: quantity(block.number),
    from: toEvm(transaction.owner),
    to: typeof receipt.contract_address === 'string' ? toEvm(receipt.contract_address) : null,
    status: outcome === 'SUCCESS' ? '0x1' : '0x0',
    logs: logsOf(block).flatMap(({ json }) => (json.transactionHash === hash ? [json] : [])),
  };
}

type Filter = { fromBlock?: unknown; toBlock?: unknown; blockHash?: string; address?: unknown; topics?: unknown[] };

function findLogs(chain: TronChain, filter: Filter): Json[] {
  const [from, to] = rangeOf(chain, filter);
  if (to - from >= MAX_BLOCKS) throw new RpcFault(-32602, `exceed max block range: ${MAX_BLOCKS}`);
  const addresses = listOf(filter.address);
  const topics = (filter.topics ?? []).map(listOf);
  const matches = ({ log }: FoundLog): boolean =>
    (addresses.length === 0 || addresses.includes(`0x${log.address}`)) &&
    topics.every((wanted, n) => wanted.length === 0 || wanted.includes(`0x${log.topics[n] ?? ''}`));
  const numbers = Array.from({ length: Math.max(0, to - from + 1) }, (_, n) => from + n);
  return numbers
    .flatMap((number) => chain.block(number) ?? [])
    .flatMap((block) => logsOf(block).filter(matches))
    .map(({ json }) => json);
}

function rangeOf(chain: TronChain, { fromBlock, toBlock, blockHash }: Filter): [number, number] {
  if (blockHash === undefined) return [numberOf(chain, fromBlock), numberOf(chain, toBlock)];
  const block = byHash(chain, blockHash);
  if (!block) throw new RpcFault(-32602, 'header for hash not found');
  return [block.number, block.number];
}

/** One value, a list of alternatives, or nothing, which matches everything. */
const listOf = (given: unknown): string[] =>
  (Array.isArray(given) ? given : [given ?? []]).flat().map((one) => String(one).toLowerCase());
