// How endpoints fail: a table with a name for each way. A fault is a state of an endpoint that lasts until an action ends
// it, and its answers depend on that state and the request only, so the order of parallel requests has no influence.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { View } from '@/simulation/chain/chain';
import { EVM_TAMPERING } from './evm-tampering';
import { SOLANA_TAMPERING } from './solana-tampering';
import { refusal, type Tamper, type Tampering } from './tampering';
import { TRON_TAMPERING } from './tron-tampering';

export type EndpointFault = {
  /** In plain words: "endpoint 1 of bsc …". */
  readonly says: string;
  /** It lies. At most one endpoint of a network does at a time: the product needs one that does not. */
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
  /** The only family that it changes anything in. */
  readonly family?: NetworkFamily;
  /** Changes the answers to calls of every family. A family's own changes are in TAMPERING. */
  readonly tamper?: Tamper;
};

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
  wrong_chain: { says: 'serves another chain', isFalse: false },
  empty_logs: { says: 'reports no transfers', isFalse: true },
  truncated_logs: { says: 'leaves out the last transfer of each answer', isFalse: true },
  too_much: { says: 'refuses lists of transfers as too large', isFalse: false },
  lying: { says: 'reports ten times the amount of every transfer', isFalse: true },
  no_receipts: { says: 'has no receipts', isFalse: false },
  doubled_logs: { says: 'reports every transfer twice', isFalse: true },
  reversed_logs: { says: 'reports transfers in reverse order', isFalse: false },
  removed_logs: { says: 'marks every transfer as removed', isFalse: true },
  foreign_logs: { says: 'reports transfers of a token that looks like ours', isFalse: true },
  nulls: { says: 'answers null to everything', isFalse: false, tamper: () => null },
  refusing: {
    says: 'answers every call with an error',
    isFalse: false,
    tamper: () => refusal(-32603, 'Internal error'),
  },
  limited: {
    says: 'says that its daily limit is reached',
    isFalse: false,
    tamper: () => refusal(-32005, 'daily request count exceeded'),
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
  future_times: { says: 'reports block times an hour ahead', isFalse: true },
  past_times: { says: 'reports block times in 1970', isFalse: true },
  other_hashes: { says: 'reports other hashes for its final blocks', isFalse: true },
  empty_balances: { says: 'reports balances of zero', isFalse: true },
  blind: { says: 'reports no transfers and balances of zero', isFalse: true },
  no_coin: { says: 'reports no coin in any wallet', isFalse: true },
  lower_nonce: { says: 'reports that no account ever sent anything', isFalse: true },
  higher_nonce: { says: 'reports five more transactions of every account', isFalse: true },
  swallowing: { says: 'takes transactions and forgets them', isFalse: true },
  underpriced: { says: 'refuses every transaction as underpriced', isFalse: false },
  no_funds: { says: 'refuses every transaction for want of coin', isFalse: true },
  free_gas: { says: 'reports a fee of zero', isFalse: true },
  failed_receipts: { says: 'reports every transaction as reverted', isFalse: true },
  no_finality: { says: 'reports no final block', isFalse: false },
  no_delegations: {
    says: 'takes no transaction that delegates',
    isFalse: false,
    family: 'evm',
    view: () => ({ refusesDelegations: true }),
  },
  pruned: {
    says: 'has forgotten the state of all blocks, and the blocks below finality',
    isFalse: false,
    view: ({ final }) => ({ keepsFrom: final }),
  },
} as const satisfies Readonly<Record<string, EndpointFault>>;

export type EndpointFaultName = keyof typeof ENDPOINT_FAULTS;
export const ENDPOINT_FAULT_NAMES = Object.keys(ENDPOINT_FAULTS) as readonly EndpointFaultName[];

const TAMPERING: Readonly<Record<NetworkFamily, Tampering>> = {
  evm: EVM_TAMPERING,
  tron: TRON_TAMPERING,
  solana: SOLANA_TAMPERING,
};

/** How an endpoint of the family changes its answers under this fault. Undefined: it does not. */
export const tamperOf = (family: NetworkFamily, name: EndpointFaultName): Tamper | undefined =>
  (ENDPOINT_FAULTS[name] as EndpointFault).tamper ?? TAMPERING[family][name];

/** Whether the fault changes anything in the family. */
export function isKnownTo(family: NetworkFamily, name: EndpointFaultName): boolean {
  const { http, wrongId, seconds, view, family: own = family }: EndpointFault = ENDPOINT_FAULTS[name];
  return own === family && [http, wrongId, seconds, view, tamperOf(family, name)].some((one) => one !== undefined);
}
