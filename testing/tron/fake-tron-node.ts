// A programmable TRON node on loopback for tests: an in-memory chain behind real HTTP, with both sides under one
// address as at TronGrid. Tests can falsify every response. It responds like java-tron: `{}` for unknown data.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressBytes } from '@/lib/networks/families/tron/address';
import { tronRpcResult, type TronRpcCall } from './tron-json-rpc';
import {
  accountOf,
  blockId,
  blockOf,
  headerOf,
  infoOf,
  infosOf,
  mined,
  sha256,
  transactionOf,
  type TronBlock,
  type TronTransaction,
} from './tron-shapes';

type TronRequest = { side: string; api: string; body: Record<string, unknown> };

export type FakeTronNode = {
  readonly url: string;
  readonly blocks: TronBlock[];
  /** Transactions that wait for a block. */
  readonly pending: Set<string>;
  /** The number of calls per API, such as `walletsolidity/getnowblock`. */
  readonly calls: Map<string, number>;
  /** Headers of the last request. */
  headers: http.IncomingHttpHeaders;
  decimals: Record<string, number>;
  /** Blocks between the newest and the solid one. */
  solidDepth: number;
  /** APIs that respond with 404, such as `getblock`; `jsonrpc` unless the node was started with it. */
  readonly missing: Set<string>;
  /** The number of newest blocks whose transaction results are not available yet, although the blocks are. */
  infosLag: number;
  /** Replaces responses; undefined keeps the true one. */
  tamper: (request: TronRequest, answer: unknown) => unknown;
  /** If it returns true, it has sent the whole HTTP response itself. */
  hijack: (request: http.IncomingMessage, response: http.ServerResponse, body: string) => boolean;
  mine(transactions?: TronTransaction[], time?: number): TronBlock;
  /** Drops the newest blocks; blocks mined afterwards have other ids. */
  drop(depth: number): void;
  close(): Promise<void>;
};

/**
 * Starts a node with a genesis block; by default blocks are three seconds apart. `time` is in seconds. `jsonRpc`:
 * whether its JSON-RPC is on, as at TronGrid; in java-tron it is off.
 */
export async function startFakeTronNode(options: {
  decimals: Record<string, number>;
  time: number;
  jsonRpc?: boolean;
}): Promise<FakeTronNode> {
  const salt = `${Math.trunc(performance.now() * 1000)}:${process.pid}`;
  let drawn = 0;
  const genesis = blockId(0, `${salt}:${options.time}`);
  const blocks: TronBlock[] = [
    { number: 0, id: genesis, parentHash: '00'.repeat(32), time: options.time * 1000, transactions: [] },
  ];

  const node: FakeTronNode = {
    url: '',
    blocks,
    pending: new Set(),
    calls: new Map(),
    headers: {},
    decimals: options.decimals,
    solidDepth: 18,
    missing: new Set(options.jsonRpc ? [] : ['jsonrpc']),
    infosLag: 0,
    tamper: () => undefined,
    hijack: () => false,
    mine(transactions = [], time) {
      const parent = blocks.at(-1)!;
      const number = parent.number + 1;
      const block: TronBlock = {
        number,
        id: blockId(number, `${salt}:${drawn++}`),
        parentHash: parent.id,
        time: time === undefined ? parent.time + 3000 : time * 1000,
        transactions: transactions.map((one) => mined(one, sha256(`${salt}:${drawn++}`))),
      };
      blocks.push(block);
      return block;
    },
    drop: (depth) => void blocks.splice(blocks.length - depth, depth),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(() => resolve()))),
  };

  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = Buffer.concat(parts).toString();
      node.headers = request.headers;
      const [api = '', side = ''] = new URL(request.url ?? '', 'http://node').pathname.split('/').toReversed();
      const count = (name: string) => node.calls.set(name, (node.calls.get(name) ?? 0) + 1);
      if (api !== 'jsonrpc') count(`${side}/${api}`);
      if (node.hijack(request, response, text)) return;
      if (api === 'jsonrpc' && !node.missing.has(api)) {
        const given = JSON.parse(text) as TronRpcCall | TronRpcCall[];
        const answers = [given].flat().map((one) => {
          count(`jsonrpc/${one.method}`);
          return rpcAnswer(node, one);
        });
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(Array.isArray(given) ? answers : answers[0]));
        return;
      }
      const call = { side, api, body: JSON.parse(text || '{}') as Record<string, unknown> };
      const answer = node.missing.has(api) ? undefined : answerOf(node, call);
      if (answer === undefined) {
        response.writeHead(404, { 'content-type': 'text/html' }).end('<h2>HTTP ERROR 404 Not Found</h2>');
        return;
      }
      const tampered = node.tamper(call, answer);
      response.end(JSON.stringify(tampered === undefined ? answer : tampered));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(node, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/key-9f8e7d` });
}

/** `tamper` receives a call as an API of the side `jsonrpc`, its parameters as the body's `params`. */
function rpcAnswer(node: FakeTronNode, call: TronRpcCall): object {
  const result = tronRpcResult(node.blocks, call);
  const tampered = node.tamper({ side: 'jsonrpc', api: call.method, body: { params: call.params } }, result);
  const given = tampered === undefined ? result : tampered;
  const isError = typeof given === 'object' && given !== null && 'error' in given;
  return { jsonrpc: '2.0', id: call.id, ...(isError ? given : { result: given }) };
}

function answerOf(node: FakeTronNode, { side, api, body }: TronRequest): unknown {
  if (side !== 'wallet' && side !== 'walletsolidity') return undefined;
  const top = node.blocks.length - 1 - (side === 'walletsolidity' ? node.solidDepth : 0);
  const known = node.blocks.slice(0, Math.max(1, top + 1));
  const at = (number: unknown) => known[Number(number)];
  switch (api) {
    case 'getnowblock':
      return blockOf(known.at(-1)!);
    case 'getblockbynum':
      return orNothing(at(body.num ?? 0), blockOf);
    case 'getblockbylimitnext': {
      const found = known.slice(Number(body.startNum ?? 0), Number(body.endNum));
      return found.length > 0 ? { block: found.map(blockOf) } : {};
    }
    case 'getblock': {
      const found = body.id_or_num === undefined ? known.at(-1) : at(body.id_or_num);
      return orNothing(found, body.detail === true ? blockOf : headerOf);
    }
    case 'gettransactioninfobyblocknum': {
      if (Number(body.num ?? 0) <= 0) return {};
      const found = Number(body.num) > node.blocks.length - 1 - node.infosLag ? undefined : at(body.num);
      return found ? infosOf(found) : [];
    }
    case 'gettransactioninfobyid':
      return orNothing(find(known, body.value), ({ block, own }) => infoOf(block, own));
    case 'gettransactionbyid':
      return orNothing(find(known, body.value), ({ own }) => transactionOf(own));
    case 'gettransactionfrompending':
      return node.pending.has(String(body.value)) ? { txID: body.value, raw_data: {} } : {};
    case 'getaccount':
      return accountOf(known, body.address);
    case 'triggerconstantcontract':
      return body.function_selector === 'balanceOf(address)' ? balanceOf(known, body) : decimalsOf(node, body);
    default:
      return undefined;
  }
}

const orNothing = <T>(found: T | undefined, write: (found: T) => object): object => (found ? write(found) : {});

const find = (blocks: readonly TronBlock[], id: unknown) =>
  blocks.flatMap((block) => block.transactions.map((own) => ({ block, own }))).find(({ own }) => own.id === id);

function balanceOf(known: readonly TronBlock[], { contract_address: contract, parameter }: Record<string, unknown>) {
  const logs = known.flatMap(({ transactions }) => transactions.flatMap((one) => one.logs));
  const gained = logs.filter(({ address, topics }) => `41${address}` === contract && topics?.[2] === parameter);
  const sum = gained.reduce((total, { data }) => total + BigInt(`0x${data}`), 0n);
  return { result: { result: true }, constant_result: [sum.toString(16).padStart(64, '0')] };
}

function decimalsOf(node: FakeTronNode, body: Record<string, unknown>): object {
  const contract = Object.keys(node.decimals).find((one) => `41${addressBytes(one)}` === body.contract_address);
  if (contract === undefined || body.function_selector !== 'decimals()') {
    const message = Buffer.from('Smart contract is not exist.').toString('hex');
    return { result: { code: 'CONTRACT_VALIDATE_ERROR', message } };
  }
  return {
    result: { result: true },
    energy_used: 935,
    constant_result: [(node.decimals[contract] ?? 0).toString(16).padStart(64, '0')],
    transaction: { ret: [{}], visible: false, txID: 'cf'.repeat(32), raw_data: {}, raw_data_hex: '0a02' },
  };
}
