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
  /** Only this part of the requests is answered so, in percent. Which one follows from the request itself. */
  readonly percent?: number;
  /** Seconds that each answer takes. */
  readonly seconds?: number;
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

/** Changes each log of an answer. Undefined: it holds none. */
const eachLog =
  (change: (logs: readonly object[]) => readonly object[]): NonNullable<View['tamper']> =>
  (method, _params, result) =>
    method === 'eth_getLogs' && isList(result) ? change(result as object[]) : undefined;

const withLogs = (receipt: object, change: (log: object) => object): object => ({
  ...receipt,
  logs: (receipt as { readonly logs: readonly object[] }).logs.map(change),
});

function shiftTime(result: unknown, seconds: number): unknown {
  if (typeof result !== 'object' || result === null || !('timestamp' in result)) return undefined;
  return { ...result, timestamp: `0x${Math.max(0, Number(result.timestamp) + seconds).toString(16)}` };
}

function withHash(result: unknown): unknown {
  if (typeof result !== 'object' || result === null || !('hash' in result)) return undefined;
  return { ...result, hash: `0xbad0${String(result.hash).slice(6)}` };
}

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
  doubled_logs: {
    says: 'reports every transfer twice',
    isFalse: true,
    tamper: eachLog((logs) => logs.flatMap((log) => [log, log])),
  },
  reversed_logs: {
    says: 'reports transfers in reverse order',
    isFalse: false,
    tamper: eachLog((logs) => logs.toReversed()),
  },
  removed_logs: {
    says: 'marks every transfer as removed',
    isFalse: true,
    tamper: eachLog((logs) => logs.map((log) => ({ ...log, removed: true }))),
  },
  foreign_logs: {
    says: 'reports transfers of a token that looks like ours',
    isFalse: true,
    tamper: eachLog((logs) => logs.map((log) => ({ ...log, address: `0x${'fa'.repeat(20)}` }))),
  },
  nulls: { says: 'answers null to everything', isFalse: false, tamper: () => null },
  refusing: {
    says: 'answers every call with an error',
    isFalse: false,
    tamper: () => error(-32603, 'Internal error'),
  },
  limited: {
    says: 'says that its daily limit is reached',
    isFalse: false,
    tamper: () => error(-32005, 'daily request count exceeded'),
  },
  revoked_key: { says: 'answers 401 to everything', isFalse: false, http: { status: 401, body: '{}' } },
  moved: {
    says: 'redirects everything elsewhere',
    isFalse: false,
    http: { status: 302, body: '', headers: ['location', 'http://elsewhere.test/'] },
  },
  empty_body: { says: 'answers with an empty body', isFalse: false, http: { status: 200, body: '' } },
  cut_body: {
    says: 'cuts its answers off',
    isFalse: false,
    http: { status: 200, body: '{"jsonrpc":"2.0","id":1,"resu' },
  },
  flaky: { says: 'answers 503 to every third request', isFalse: false, http: { status: 503, body: '' }, percent: 33 },
  slow: { says: 'takes two seconds for each answer', isFalse: false, seconds: 2 },
  future_times: {
    says: 'reports block times an hour ahead',
    isFalse: true,
    tamper: only('eth_getBlockByNumber', (result) => shiftTime(result, 3600)),
  },
  past_times: {
    says: 'reports block times in 1970',
    isFalse: true,
    tamper: only('eth_getBlockByNumber', (result) => shiftTime(result, -Number.MAX_SAFE_INTEGER)),
  },
  other_hashes: {
    says: 'reports other hashes for its final blocks',
    isFalse: true,
    tamper: only('eth_getBlockByNumber', (result) => withHash(result)),
  },
  empty_balances: {
    says: 'reports balances of zero',
    isFalse: true,
    tamper: only('eth_call', (result) =>
      typeof result === 'string' ? `0x${'0'.repeat(result.length - 2)}` : undefined,
    ),
  },
  no_coin: { says: 'reports no coin in any wallet', isFalse: true, tamper: only('eth_getBalance', () => '0x0') },
  lower_nonce: {
    says: 'reports that no account ever sent anything',
    isFalse: true,
    tamper: only('eth_getTransactionCount', () => '0x0'),
  },
  higher_nonce: {
    says: 'reports five more transactions of every account',
    isFalse: true,
    tamper: only('eth_getTransactionCount', (result) => `0x${(Number(result) + 5).toString(16)}`),
  },
  swallowing: {
    says: 'takes transactions and forgets them',
    isFalse: true,
    tamper: only('eth_sendRawTransaction', () => `0x${'5a'.repeat(32)}`),
  },
  underpriced: {
    says: 'refuses every transaction as underpriced',
    isFalse: false,
    tamper: only('eth_sendRawTransaction', () => error(-32000, 'transaction underpriced')),
  },
  no_funds: {
    says: 'refuses every transaction for want of coin',
    isFalse: true,
    tamper: only('eth_sendRawTransaction', () => error(-32000, 'insufficient funds for gas * price + value')),
  },
  free_gas: { says: 'reports a fee of zero', isFalse: true, tamper: only('eth_gasPrice', () => '0x0') },
  failed_receipts: {
    says: 'reports every transaction as reverted',
    isFalse: true,
    tamper: only('eth_getTransactionReceipt', (result) =>
      typeof result === 'object' && result !== null ? { ...result, status: '0x0', logs: [] } : undefined,
    ),
  },
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
