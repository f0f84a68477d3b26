// The TRON adapter over java-tron's HTTP API: a self-hosted node, or TronGrid. The adapter keeps no position: it proves each
// answer, or throws.

import { setTimeout as pause } from 'node:timers/promises';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import { ChainError, type ChainAdapter, type Head } from '@/lib/networks/chain';
import type { AdapterOptions } from '@/lib/networks/endpoints/access';
import { openEndpoints, type EndpointControl } from '@/lib/networks/endpoints/endpoints';
import { IN_A_BLOCK } from '@/lib/networks/endpoints/scan';
import { tokensOf } from './reading/decode';
import { isTronGrid, jsonRpcOf, openTronClient } from './http';
import { pauseRequestedBy } from './http-faults';
import { lookUp } from './reading/lookup';
import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import { proveLogs, type LoggingNode } from './reading/logs';
import { proveNode, readBlock, readGenesis, readHead } from './node';
import type { Wait } from '@/lib/networks/endpoints/pacing';
import { openRequestBudget, type RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { NO_LIMITS, TRONGRID_LIMITS } from '@/lib/networks/endpoints/request-limits';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';
import { scanWindow } from './reading/scan';
import { tronActivity, tronSent } from './reading/sent-coin';

/** A window must be read well within a chain's lease of five seconds: two requests per block, at twelve per second. */
const METERED_WINDOW = 20;
const LARGEST_WINDOW = 50;
/** One scan uses one head. The watcher's poll interval (watcher/poll-interval) leaves more time than this between two scans. */
const METERED_HEAD_MS = 900;
/**
 * TronGrid allows a key 100,000 requests a day. The share for lookups, at four requests for an unknown transaction: 720 a day,
 * however many visitors send them.
 */
const METERED_LOOKUPS = { rate: 1 / 120, burst: 60 };

/** openTronClient shows how one URL names other ports. */
export type TronOptions = AdapterOptions & {
  /** A TronGrid key. */
  readonly apiKey?: string | undefined;
  /** Replaces real waiting in tests. */
  readonly wait?: Wait;
  /** Which endpoints count our requests: TronGrid's, unless a test overrides it. */
  readonly isMetered?: (url: URL) => boolean;
};

type FollowedNode = LoggingNode & {
  /** Takes one lookup from a metered endpoint's share; returns 0 if the lookup may run. */
  readonly takeLookup: () => number;
  readonly headLastsMs: number;
  head: { readonly at: number; readonly head: Head } | null;
};

/** Opens the adapter. No request is sent before the first call. Throws an Error for an unusable URL. */
export function openTronAdapter(options: TronOptions): ChainAdapter & { readonly endpoints: EndpointControl } {
  const { spec, trust, clock, log } = options;
  const reading = { tokens: tokensOf(spec), headOf };
  const endpoints = openEndpoints({
    spec,
    clients: options.urls.map((url, index) =>
      openNode(options, {
        ...{ url, name: `endpoint ${index + 1}` },
        ...{ budget: options.budgets?.[index], shared: options.heads?.[index] },
      }),
    ),
    prove: async (node) => {
      await proveNode(node, spec);
      node.logsOffered = await proveLogs(node, spec, reading.tokens);
    },
    readHead: headOf,
    readBlock: (node, number) => readBlock(node, 'wallet', number),
    trust,
    clock,
    log: log.child({ network: spec.network, environment: spec.environment }),
  });

  async function headOf(node: FollowedNode): Promise<Head> {
    const now = clock.now().getTime();
    if (node.head && now - node.head.at < node.headLastsMs) return node.head.head;
    const head = await readHead(node, spec);
    node.head = { at: now, head };
    return head;
  }

  return {
    readsBlocks: true,
    endpoints: endpoints.control,
    // The identity proof already checked a known genesis; a local chain may have restarted behind its URL.
    genesis: () => endpoints.use(async (node) => spec.genesis ?? (await readGenesis(node, 'wallet')).hash),
    head: () => endpoints.head(),
    block: (number) => endpoints.use((node) => readBlock(node, 'wallet', number)),
    agreed: (number) => endpoints.agreed(number),
    scan: (window, watch) => endpoints.scan(window, watch, (node, same) => scanWindow(node, reading, window, same)),
    // Another node may know a transaction that one node has not received yet, or not as mined.
    lookup: (transactionHash) =>
      endpoints.use(async (node) => {
        keepQuota(node);
        return lookUp(node, reading, transactionHash);
      }, IN_A_BLOCK),
    coin: {
      activity: (search) => endpoints.use((node) => tronActivity(node, search)),
      sent: ({ blocks }, wallets) => endpoints.use((node) => tronSent(node, spec, blocks, wallets)),
    },
  };
}

/** Throws if the lookup would use quota that watching payments needs. */
function keepQuota({ name, takeLookup }: FollowedNode): void {
  if (takeLookup() === 0) return;
  const why = `${name} reserves the rest of its daily requests for watching payments`;
  throw new ChainError('unavailable', why, { demotes: false });
}

type Refusing = Parameters<typeof pauseRequestedBy>[1];
type Opened = {
  readonly url: string;
  readonly name: string;
  readonly budget: RequestBudget | undefined;
  readonly shared: SharedHead | undefined;
};

function openNode(options: TronOptions, { url, name, budget, shared: sharedHead }: Opened): FollowedNode {
  const { apiKey, timeoutMs, clock, isMetered = isTronGrid, wait = (milliseconds) => pause(milliseconds) } = options;
  const metered = isMetered(new URL(url));
  const limits = metered ? TRONGRID_LIMITS : NO_LIMITS;
  const takeToken = openRateLimit(METERED_LOOKUPS);
  const shared = budget ?? openRequestBudget({ name, limits, clock, wait });
  const { url: rpcUrl, headers } = jsonRpcOf({ url, name, apiKey });
  const rpc = { headers, timeoutMs, budget: shared, refusalIn: (answer: Refusing) => pauseRequestedBy(name, answer) };
  return {
    name,
    rpc: openRpcClient(rpcUrl.href, name, rpc),
    logsOffered: false,
    takeLookup: () => (metered ? takeToken(name, clock.now().getTime()) : 0),
    client: openTronClient({
      url,
      name,
      apiKey,
      timeoutMs,
      budget: shared,
    }),
    wait,
    largestWindow: metered ? METERED_WINDOW : LARGEST_WINDOW,
    headersOffered: true,
    rangesOffered: true,
    headLastsMs: metered ? METERED_HEAD_MS : 0,
    head: null,
    shared: sharedHead,
  };
}
