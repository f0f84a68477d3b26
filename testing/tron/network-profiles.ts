// The limits of TRON and Solana endpoint providers' plans, with their wording and responses (docs/network-facts.md#limits-of-endpoints), for
// a scene's node to imitate. EVM providers are in provider-profiles.ts.

import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import type { FakeTronNode } from './fake-tron-node';
import type { NetworkScene } from '@/testing/watching/network-scene';

export type NetworkProfile = {
  readonly network: 'tron' | 'solana';
  readonly name: string;
  /** Every n-th request gets this refusal. */
  readonly refuses?: {
    readonly each: number;
    readonly status: number;
    readonly retryAfter?: number;
    readonly body: string;
  };
  /** Unavailable APIs or methods. */
  readonly missing?: readonly string[];
  /** The response in place of a result; undefined: the result. */
  readonly answer?: (call: Call) => unknown;
};

/** `newest`: the node's newest block or slot. `params`: of JSON-RPC; `body`: of java-tron's own API. */
type Call = {
  readonly api: string;
  readonly params: readonly unknown[];
  readonly body: Readonly<Record<string, unknown>>;
  readonly newest: number;
};

const SUSPENDED = '{"Error":"The key exceeds the frequency limit(15), and the query server is suspended for 2s"}';
/** A list of logs that spans more blocks than the provider allows. */
const isWiderThan = (most: number, { api, params }: Call): boolean => {
  const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string };
  return api === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= most;
};
const invalid = (message: string) => ({ error: { code: -32602, message } });
const accountsOf = ({ api, params }: Call): number =>
  api === 'getMultipleAccounts' ? (params[0] as unknown[]).length : 0;
/** The number of blocks that a pruning node keeps. */
const KEEPS = 200;

export const NETWORK_PROFILES: readonly NetworkProfile[] = [
  { network: 'tron', name: '429 with Retry-After', refuses: { each: 12, status: 429, retryAfter: 2, body: '' } },
  { network: 'tron', name: '429 without Retry-After', refuses: { each: 12, status: 429, body: '' } },
  { network: 'tron', name: 'suspensions by 403 (TronGrid)', refuses: { each: 12, status: 403, body: SUSPENDED } },
  {
    network: 'tron',
    name: 'a busy node that says so with status 200',
    refuses: {
      each: 12,
      status: 200,
      body: '{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}',
    },
  },
  { network: 'tron', name: 'no JSON-RPC', missing: ['jsonrpc'] },
  { network: 'tron', name: 'no headers and no ranges of blocks', missing: ['getblock', 'getblockbylimitnext'] },
  {
    network: 'tron',
    name: 'lists of ten blocks',
    answer: (call) => (isWiderThan(10, call) ? invalid('exceed max block range: 10') : undefined),
  },
  {
    network: 'tron',
    name: 'lists of so many transfers',
    answer: (call) =>
      isWiderThan(4, call) ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : undefined,
  },
  { network: 'tron', name: 'no index of logs', answer: ({ api }) => (api === 'eth_getLogs' ? [] : undefined) },
  {
    network: 'tron',
    name: 'pruned history',
    answer: ({ api, body, newest }) =>
      api === 'getblock' &&
      body.id_or_num !== undefined &&
      body.id_or_num !== '0' &&
      Number(body.id_or_num) < newest - KEEPS
        ? {}
        : undefined,
  },
  { network: 'solana', name: '429 with Retry-After', refuses: { each: 40, status: 429, retryAfter: 2, body: '' } },
  { network: 'solana', name: '429 without Retry-After', refuses: { each: 40, status: 429, body: '' } },
  {
    network: 'solana',
    name: 'five accounts a request (free plans)',
    answer: (call) => (accountsOf(call) > 5 ? invalid('Too many inputs provided; max 5') : undefined),
  },
  { network: 'solana', name: 'no getTokenAccountsByOwner', missing: ['getTokenAccountsByOwner'] },
  {
    network: 'solana',
    name: 'no archive: old blocks are cleaned up',
    answer: ({ api, params, newest }) =>
      api === 'getBlock' && Number(params[0]) < newest - KEEPS
        ? { error: { code: -32001, message: `Block ${String(params[0])} cleaned up, does not exist on node.` } }
        : undefined,
  },
  {
    network: 'solana',
    name: 'no transactions of versions above 0',
    answer: ({ api, params }) =>
      api === 'getTransaction' &&
      Number((params[1] as { maxSupportedTransactionVersion?: number }).maxSupportedTransactionVersion) > 0
        ? invalid('Invalid params: maxSupportedTransactionVersion')
        : undefined,
  },
];

/** Makes the scene's node behave like the provider. */
export function behaveLikeProvider({ network, node }: NetworkScene, profile: NetworkProfile): void {
  const { refuses, missing, answer } = profile;
  const fake = node.fake as FakeTronNode | FakeSolanaNode;
  let requests = 0;
  fake.hijack = (_request, response) => {
    if (!refuses || ++requests % refuses.each !== 0) return false;
    const { status, retryAfter, body } = refuses;
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }).end(body);
    return true;
  };
  if (network === 'tron') {
    const tron = fake as FakeTronNode;
    for (const api of missing ?? []) tron.missing.add(api);
    tron.tamper = ({ api, body }) =>
      answer?.({ api, body, params: (body.params ?? []) as unknown[], newest: node.newest() });
    return;
  }
  const solana = fake as FakeSolanaNode;
  solana.tamper = ({ method, params }) =>
    missing?.includes(method)
      ? { error: { code: -32601, message: 'Method not found' } }
      : answer?.({ api: method, params, body: {}, newest: solana.blocks.at(-1)?.slot ?? 0 });
}
