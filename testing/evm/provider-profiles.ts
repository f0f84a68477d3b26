// The limits of EVM endpoint providers' plans, with their wording and responses (docs/network-facts.md#limits-of-endpoints), for a fake node
// to imitate. One row per provider behaviour that the watcher has to handle.

import type { Clock } from '@/lib/platform/clock';
import type { FakeNode } from './fake-evm-node';

export type ProviderProfile = {
  readonly name: string;
  /** Calls in one request, and the error above that. */
  readonly batch?: { readonly most: number; readonly code: number; readonly message: string };
  /** Blocks in one eth_getLogs, and the error above that. */
  readonly range?: { readonly most: number; readonly code: number; readonly message: string };
  /** The number of blocks before older ones are pruned. */
  readonly keeps?: number;
  /** Unavailable methods. */
  readonly missing?: readonly string[];
  /** Every n-th request gets 429, with this many seconds as Retry-After or without it. */
  readonly throttles?: { readonly each: number; readonly retryAfter: number | null };
  /** Requests per UTC day. */
  readonly perDay?: number;
};

export const PROVIDER_PROFILES: readonly ProviderProfile[] = [
  { name: 'a node of one’s own' },
  { name: 'one call a request', batch: { most: 1, code: -32600, message: 'batch requests are not supported' } },
  { name: 'two calls a request', batch: { most: 2, code: -32000, message: 'batch size is too large, max 2' } },
  {
    name: 'three calls a request (free plans)',
    batch: { most: 3, code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' },
  },
  {
    name: 'ten blocks a range (free plans)',
    range: {
      most: 10,
      code: -32600,
      message: 'Under the Free tier plan, eth_getLogs is limited to up to a 10 block range',
    },
  },
  { name: '100 blocks a range', range: { most: 100, code: -32614, message: 'eth_getLogs is limited to a 100 range' } },
  { name: '2,000 blocks a range', range: { most: 2000, code: -32602, message: 'block range is too wide, max 2000' } },
  {
    name: '10,000 blocks a range',
    range: { most: 10_000, code: -32005, message: 'exceed maximum block range: 10000' },
  },
  { name: 'pruned history', keeps: 200 },
  { name: 'no eth_getBlockReceipts', missing: ['eth_getBlockReceipts'] },
  { name: '429 with Retry-After', throttles: { each: 25, retryAfter: 2 } },
  { name: '429 without Retry-After', throttles: { each: 25, retryAfter: null } },
  {
    name: 'everything at once',
    batch: { most: 3, code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' },
    range: { most: 10, code: -32005, message: 'limited to a 10 block range' },
    keeps: 400,
    missing: ['eth_getBlockReceipts'],
    throttles: { each: 40, retryAfter: 1 },
  },
];

type Call = { readonly id: number; readonly method: string; readonly params: unknown[] };

/** Makes a node behave like a provider. */
export function behaveLike(node: FakeNode, profile: ProviderProfile, clock: Clock): void {
  let requests = 0;
  let day = { name: '', requests: 0 };
  node.hijack = (_request, response, body) => {
    const given = JSON.parse(body) as Call | Call[];
    const calls = Array.isArray(given) ? given : [given];
    const refuse = (status: number, answer: unknown, headers: Record<string, string> = {}): true => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(answer));
      return true;
    };
    const { throttles, batch, perDay } = profile;
    const today = clock.now().toISOString().slice(0, 10);
    day = { name: today, requests: (day.name === today ? day.requests : 0) + calls.length };
    if (perDay !== undefined && day.requests > perDay) {
      return refuse(429, { jsonrpc: '2.0', id: null, error: { code: 429, message: 'daily request count exceeded' } });
    }
    if (throttles && ++requests % throttles.each === 0) {
      return refuse(429, {}, throttles.retryAfter === null ? {} : { 'retry-after': String(throttles.retryAfter) });
    }
    if (!batch || calls.length <= batch.most) return false;
    return refuse(200, { jsonrpc: '2.0', id: null, error: { code: batch.code, message: batch.message } });
  };
  node.tamper = ({ method, params }) => answerTo(node, profile, method, params);
}

/** The provider's response in place of the result; undefined: the result. */
function answerTo(node: FakeNode, { range, keeps, missing }: ProviderProfile, method: string, params: unknown[]) {
  if (missing?.includes(method)) return { error: { code: -32601, message: `the method ${method} does not exist` } };
  const oldest = keeps === undefined ? 0 : node.blocks.length - keeps;
  if (method === 'eth_getBlockByNumber' && Number(params[0]) < oldest) return null;
  if (method !== 'eth_getLogs') return undefined;
  const { fromBlock, toBlock } = params[0] as { fromBlock?: string; toBlock?: string };
  if (fromBlock === undefined || toBlock === undefined) return undefined;
  if (Number(fromBlock) < oldest) return { error: { code: -32000, message: 'history is pruned' } };
  const blocks = Number(toBlock) - Number(fromBlock) + 1;
  return range && blocks > range.most ? { error: { code: range.code, message: range.message } } : undefined;
}
