// How endpoints fail: a table with a name for each way. A fault is a state of an endpoint that lasts until an action ends
// it, and its answers depend on that state and the request only, so the order of parallel requests has no influence.

import type { View } from '@/simulation/chain/chain';

export type EndpointFault = {
  /** In plain words: "endpoint 1 of bsc …". */
  readonly says: string;
  /** It tells untruths. At most one endpoint of a network does at a time: the product needs one that does not. */
  readonly isFalse: boolean;
  /** Answers the whole HTTP request itself; absent: the calls are answered. */
  readonly http?:
    { readonly status: number; readonly body: string; readonly headers?: readonly string[] } | 'silent' | 'broken';
  /** The id of the answers is another one. */
  readonly wrongId?: true;
  /** Changes what it sees of the chain when the fault begins. */
  readonly view?: (at: { readonly height: number; readonly final: number }) => Partial<View>;
  readonly tamper?: View['tamper'];
};

const error = (code: number, message: string) => ({ error: { code, message } });
const isList = (result: unknown): result is readonly unknown[] => Array.isArray(result);

/** Ten times as much in every transfer of an answer. */
function inflated(_method: string, _params: readonly unknown[], result: unknown): unknown {
  const more = (log: object): object =>
    'data' in log && typeof log.data === 'string' && log.data.length === 66
      ? { ...log, data: `0x${(BigInt(log.data) * 10n).toString(16).padStart(64, '0')}` }
      : log;
  if (isList(result)) return (result as object[]).map((one) => ('logs' in one ? withLogs(one, more) : more(one)));
  if (typeof result === 'object' && result !== null && 'logs' in result) return withLogs(result, more);
}

const withLogs = (receipt: object, change: (log: object) => object): object => ({
  ...receipt,
  logs: (receipt as { readonly logs: readonly object[] }).logs.map(change),
});

const only =
  (wanted: string, change: (result: unknown, params: readonly unknown[]) => unknown): NonNullable<View['tamper']> =>
  (method, params, result) =>
    method === wanted ? change(result, params) : undefined;

export const ENDPOINT_FAULTS = {
  silent: { says: 'does not answer', isFalse: false, http: 'silent' },
  unreachable: { says: 'breaks every connection', isFalse: false, http: 'broken' },
  rate_limited: {
    says: 'answers 429 to everything',
    isFalse: false,
    http: { status: 429, body: '{}', headers: ['retry-after', '5'] },
  },
  server_error: { says: 'answers 503 to everything', isFalse: false, http: { status: 503, body: 'down' } },
  garbage: {
    says: 'answers with a page of HTML',
    isFalse: false,
    http: { status: 200, body: '<html>maintenance</html>' },
  },
  other_request: { says: 'answers other requests than ours', isFalse: false, wrongId: true },
  stale: { says: 'stands still at its present block', isFalse: false, view: ({ height }) => ({ height }) },
  lagging: {
    says: 'stands still three blocks behind',
    isFalse: false,
    view: ({ height, final }) => ({ height: Math.max(final, height - 3) }),
  },
  forked: {
    says: 'follows a fork of its own above finality',
    isFalse: true,
    view: ({ final }) => ({ forkedAbove: final }),
  },
  wrong_chain: { says: 'serves another chain', isFalse: false, tamper: only('eth_chainId', () => '0x1') },
  empty_logs: { says: 'reports no transfers', isFalse: true, tamper: only('eth_getLogs', () => []) },
  truncated_logs: {
    says: 'leaves out the last transfer of each answer',
    isFalse: true,
    tamper: only('eth_getLogs', (result) => (isList(result) ? result.slice(0, -1) : undefined)),
  },
  too_much: {
    says: 'refuses lists of transfers as too large',
    isFalse: false,
    tamper: only('eth_getLogs', () => error(-32005, 'query returned more than 10000 results')),
  },
  lying: { says: 'reports ten times the amount of every transfer', isFalse: true, tamper: inflated },
  no_receipts: { says: 'has no receipts', isFalse: false, tamper: only('eth_getTransactionReceipt', () => null) },
  no_finality: {
    says: 'reports no final block',
    isFalse: false,
    tamper: only('eth_getBlockByNumber', (_, [tag]) => (tag === 'finalized' ? null : undefined)),
  },
  pruned: {
    says: 'has forgotten the state of all blocks',
    isFalse: false,
    tamper: (method, [, tag]) =>
      (method === 'eth_call' || method === 'eth_getTransactionCount') && tag !== 'latest' && tag !== 'pending'
        ? error(-32000, 'missing trie node')
        : undefined,
  },
} as const satisfies Readonly<Record<string, EndpointFault>>;

export type EndpointFaultName = keyof typeof ENDPOINT_FAULTS;
export const ENDPOINT_FAULT_NAMES = Object.keys(ENDPOINT_FAULTS) as readonly EndpointFaultName[];
