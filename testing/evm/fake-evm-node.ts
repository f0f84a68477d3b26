// A programmable EVM node on loopback for tests: an in-memory chain behind real HTTP and JSON-RPC. Tests can falsify
// every response. It responds like geth, including empty results for unknown blocks.

import { createHash } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { READ_BALANCES_CODE } from '@/lib/networks/families/evm/reading/read-balances-code';
import { BALANCE_OF, manyBalances } from './fake-many-balances';
import { fullTransactions, nonceAfter, sentCoin, type SentCoin } from './fake-sent-coin';

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

export type FakeLog = { address: string; topics: string[]; data: string };
export type FakeTransaction = SentCoin & { logs: FakeLog[]; status?: '0x0' | '0x1'; hash?: string };
type MinedLog = FakeLog & Record<'blockNumber' | 'blockHash' | 'transactionHash' | 'logIndex', string>;
type MinedTransaction = SentCoin & { hash: string; status: string; logs: MinedLog[] };
type Block = { number: number; hash: string; parentHash: string; time: number; transactions: MinedTransaction[] };
type Rpc = { id: number; method: string; params: unknown[] };

export type FakeNode = {
  readonly url: string;
  readonly blocks: Block[];
  /** The number of calls per method. */
  readonly calls: Map<string, number>;
  chainId: number;
  decimals: Record<string, number>;
  /** Blocks between the newest and the finalized one. */
  finalDepth: number;
  /** The number of newest blocks that eth_getLogs does not know yet, although headers do. */
  logsLag: number;
  /** Hashes of transactions that are known and in no block. */
  readonly pending: Set<string>;
  /** Replaces results; undefined keeps the true one. An object `{ error }` becomes a JSON-RPC error. */
  tamper: (call: Rpc, result: unknown) => unknown;
  /** If it returns true, it has sent the whole HTTP response itself. */
  hijack: (request: http.IncomingMessage, response: http.ServerResponse, body: string) => boolean;
  mine(transactions?: FakeTransaction[], time?: number): Block;
  /** Drops the newest blocks; blocks mined afterwards have other hashes. */
  drop(depth: number): void;
  close(): Promise<void>;
};

const word = (value: bigint | string) =>
  typeof value === 'bigint' ? `0x${value.toString(16).padStart(64, '0')}` : `0x${value.slice(2).padStart(64, '0')}`;
const hex = (value: number) => `0x${value.toString(16)}`;

/** A token transfer's log. */
export const transferLog = (contract: string, from: string, to: string, amount: bigint): FakeLog => ({
  address: contract,
  topics: [TRANSFER, word(from), word(to)],
  data: word(amount),
});

/** Starts a node with a genesis block; by default blocks are one second apart. */
export async function startFakeNode(options: {
  chainId: number;
  decimals: Record<string, number>;
  time: number;
}): Promise<FakeNode> {
  let drawn = 0;
  const salt = `${options.chainId}:${Math.trunc(performance.now() * 1000)}`;
  const newHash = () => `0x${createHash('sha256').update(`${salt}:${drawn++}`).digest('hex')}`;
  const blocks: Block[] = [{ number: 0, hash: newHash(), parentHash: word(0n), time: options.time, transactions: [] }];

  const node: FakeNode = {
    url: '',
    blocks,
    calls: new Map(),
    chainId: options.chainId,
    decimals: options.decimals,
    finalDepth: 0,
    logsLag: 0,
    pending: new Set(),
    tamper: () => undefined,
    hijack: () => false,
    mine(transactions = [], time) {
      const parent = blocks.at(-1)!;
      const block: Block = {
        number: parent.number + 1,
        hash: newHash(),
        parentHash: parent.hash,
        time: time ?? parent.time + 1,
        transactions: [],
      };
      let logIndex = 0;
      for (const transaction of transactions) {
        const hash = transaction.hash ?? newHash();
        const place = { blockNumber: hex(block.number), blockHash: block.hash, transactionHash: hash };
        const status = transaction.status ?? '0x1';
        const logs = transaction.logs.map((log) => ({ ...log, ...place, logIndex: hex(logIndex++) }));
        block.transactions.push({ hash, status, logs, ...sentCoin(transaction) });
      }
      blocks.push(block);
      return block;
    },
    drop: (depth) => void blocks.splice(blocks.length - depth, depth),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };

  const answer = (call: Rpc): object => {
    node.calls.set(call.method, (node.calls.get(call.method) ?? 0) + 1);
    const given = givenTo(node, call);
    const error = typeof given === 'object' && given !== null && 'error' in given ? { error: given.error } : null;
    return { jsonrpc: '2.0', id: call.id, ...(error ?? { result: given }) };
  };
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      if (node.hijack(request, response, body)) return;
      const calls = JSON.parse(body) as Rpc | Rpc[];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(Array.isArray(calls) ? calls.map(answer) : answer(calls)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-9f8e7d` });
}

/** Copies another node's chain to a node, where it can be falsified. */
export const copyChain = (from: FakeNode, to: FakeNode): void =>
  void to.blocks.splice(0, to.blocks.length, ...structuredClone(from.blocks));

/** Adds a forged transaction to a block under the block's true hash: the forgery is consistent in itself. */
export function forge(node: FakeNode, blockNumber: number, log: FakeLog): void {
  const block = node.blocks[blockNumber]!;
  const hash = `0x${createHash('sha256').update(`forged ${blockNumber}`).digest('hex')}`;
  const place = { blockNumber: hex(block.number), blockHash: block.hash, transactionHash: hash };
  const logIndex = hex(block.transactions.reduce((count, { logs }) => count + logs.length, 0));
  block.transactions.push({ hash, status: '0x1', logs: [{ ...log, ...place, logIndex }] });
}

/** The result, as the test changes it. */
function givenTo(node: FakeNode, call: Rpc): unknown {
  const result = resultOf(node, call);
  const tampered = node.tamper(call, result);
  return tampered === undefined ? result : tampered;
}

function resultOf(node: FakeNode, { method, params }: Rpc): unknown {
  const find = (tag: string) => node.blocks[numberOf(node, tag)];
  const transactionOf = (hash: string) =>
    node.blocks
      .flatMap((block) => block.transactions.map((own) => ({ block, own })))
      .find(({ own }) => own.hash === hash);
  switch (method) {
    case 'eth_chainId':
      return hex(node.chainId);
    case 'eth_call':
      return called(node, params as [{ to: string; data: string }, string]);
    case 'eth_getBlockByNumber':
      return headerOf(find(params[0] as string), params[1] === true);
    case 'eth_getTransactionByHash': {
      const found = transactionOf(params[0] as string);
      if (found) return { hash: found.own.hash, blockHash: found.block.hash };
      return node.pending.has(params[0] as string) ? { hash: params[0], blockHash: null } : null;
    }
    case 'eth_getTransactionReceipt':
      return receiptOf(transactionOf(params[0] as string));
    case 'eth_getBlockReceipts': {
      const block = find(params[0] as string);
      return block ? block.transactions.map((own) => receiptOf({ block, own })) : null;
    }
    case 'eth_gasPrice':
      return hex(1_000_000_000);
    case 'eth_getBalance':
      return '0x0';
    case 'eth_getTransactionCount':
      return nonceAfter(node.blocks, params[0] as string, numberOf(node, params[1] as string));
    case 'eth_getCode':
      return '0x60';
    case 'eth_getLogs':
      return logsOf(node, params[0] as LogFilter);
    default:
      return { error: { code: -32601, message: `the method ${method} does not exist/is not available` } };
  }
}

const numberOf = (node: FakeNode, tag: string): number => {
  const newest = node.blocks.length - 1;
  if (tag === 'latest' || tag === 'pending') return newest;
  if (tag === 'finalized') return Math.max(0, newest - node.finalDepth);
  return Number.parseInt(tag, 16);
};

function decimalsOf(node: FakeNode, { to }: { to: string }): string {
  const decimals = node.decimals[to];
  return decimals === undefined ? '0x' : word(BigInt(decimals));
}

const headerOf = (block: Block | undefined, isFull: boolean) =>
  block
    ? {
        number: hex(block.number),
        hash: block.hash,
        parentHash: block.parentHash,
        timestamp: hex(block.time),
        transactions: isFull ? fullTransactions(block) : block.transactions.map(({ hash }) => hash),
      }
    : null;

const receiptOf = (found: { block: Block; own: MinedTransaction } | undefined) =>
  found
    ? {
        transactionHash: found.own.hash,
        blockHash: found.block.hash,
        blockNumber: hex(found.block.number),
        status: found.own.status,
        logs: found.own.status === '0x1' ? found.own.logs : [],
      }
    : null;

function called(node: FakeNode, [{ to, data }, tag]: [{ to: string; data: string }, string]): unknown {
  if (data.startsWith(READ_BALANCES_CODE)) {
    const single = (own: { to: string; data: string }) =>
      givenTo(node, { id: 0, method: 'eth_call', params: [own, tag] });
    return manyBalances(data, numberOf(node, tag), single);
  }
  if (!data.startsWith(BALANCE_OF)) return decimalsOf(node, { to });
  const at = numberOf(node, tag);
  if (at >= node.blocks.length) return { error: { code: -32000, message: 'header not found' } };
  const address = data.slice(BALANCE_OF.length);
  const logs = node.blocks.slice(0, at + 1).flatMap(({ transactions }) => transactions.flatMap((one) => one.logs));
  const gained = logs.filter((log) => log.address === to && log.topics[2]?.slice(2) === address);
  return word(gained.reduce((sum, log) => sum + BigInt(log.data), 0n));
}

type LogFilter = {
  fromBlock: string;
  toBlock: string;
  blockHash?: string;
  address: string[];
  topics: (string | null)[];
};

function logsOf(node: FakeNode, filter: LogFilter) {
  // Behind a load balancer, a lagging node knows fewer blocks: a range beyond them is empty, an unknown hash an error.
  const known = node.blocks.slice(0, node.blocks.length - node.logsLag);
  const [from, to] = filter.blockHash ? [0, 0] : [numberOf(node, filter.fromBlock), numberOf(node, filter.toBlock)];
  const asked = known.filter(({ number, hash }) =>
    filter.blockHash ? hash === filter.blockHash : number >= from && number <= to,
  );
  if (filter.blockHash && asked.length === 0) return { error: { code: -32000, message: 'unknown block' } };
  return asked
    .flatMap(({ transactions }) => transactions.filter(({ status }) => status === '0x1').flatMap(({ logs }) => logs))
    .filter(({ address, topics }) => filter.address.includes(address) && topics[0] === filter.topics[0])
    .filter(({ topics }) => [1, 2].every((n) => !filter.topics[n] || topics[n] === filter.topics[n]))
    .map((log) => ({ ...log, removed: false }));
}
