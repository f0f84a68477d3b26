// How endpoints fail: a table with a name for each way. A fault is a state of an endpoint that lasts until an action ends
// it, and its answers depend on that state and the request only, so the order of parallel requests has no influence.

import type { NetworkFamily } from '@/lib/networks/chain';
import type { View } from '@/simulation/chain/chain';
import { EVM_TAMPERING } from './evm-tampering';
import { SOLANA_TAMPERING } from './solana-tampering';
import type { Tamper, Tampering } from './tampering';
import { TRON_TAMPERING } from './tron-tampering';

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
};

/** Faults without `http`, `wrongId` and `view` falsify single answers, each family in its own methods. */
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
  no_finality: { says: 'reports no final block', isFalse: false },
  pruned: {
    says: 'has forgotten the state of all blocks and the blocks below finality',
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

/** How an endpoint of the family falsifies its answers under this fault. Undefined: it does not. */
export const tamperOf = (family: NetworkFamily, name: EndpointFaultName): Tamper | undefined =>
  (TAMPERING[family] as Readonly<Partial<Record<EndpointFaultName, Tamper>>>)[name];
