// The Solana adapter. Blocks are too large to read whole, so it reads the token accounts of the deposit addresses. The adapter
// keeps no position: it proves each answer, or throws.

import type { Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import type { Trust } from '@/lib/networks/endpoints/agreement';
import type { ChainAdapter } from '@/lib/networks/chain';
import { openEndpoints, type EndpointControl } from '@/lib/networks/endpoints/endpoints';
import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { openAccountDeriver } from './address';
import { openAuxiliaries } from './reading/auxiliary';
import { lookUp } from './reading/lookup';
import { openNode, proveNode, readBlock, readGenesis, readHead } from './node';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';
import { scanWindow } from './reading/scan';

export type SolanaOptions = {
  readonly spec: NetworkSpec;
  /** Endpoints in the operator's order of preference. */
  readonly urls: readonly string[];
  /** Absent: one endpoint's report is enough for any amount. */
  readonly trust?: Trust | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Timeout of one request, in milliseconds. */
  readonly timeoutMs?: number;
  /** Budgets of the endpoints, in the order of `urls`, shared with every other client of them. Absent: each client has its own. */
  readonly budgets?: readonly RequestBudget[] | undefined;
  /** Shared heads of the endpoints, in the same order. */
  readonly heads?: readonly SharedHead[] | undefined;
};

/** Opens the adapter of one network. No request is sent before the first call. */
export function openSolanaAdapter({
  spec,
  urls,
  trust,
  clock,
  log,
  timeoutMs,
  budgets,
  heads,
}: SolanaOptions): ChainAdapter & { readonly endpoints: EndpointControl } {
  const mints = Object.values(spec.tokens).map(({ contract }) => contract);
  const ownLog = log.child({ network: spec.network, environment: spec.environment });
  const parts = { spec, deriver: openAccountDeriver(mints), auxiliaries: openAuxiliaries(spec, ownLog) };
  const endpoints = openEndpoints({
    spec,
    clients: urls.map((url, index) => {
      const name = `endpoint ${index + 1}`;
      return openNode(name, openRpcClient(url, name, { timeoutMs, budget: budgets?.[index] }), heads?.[index]);
    }),
    prove: (node) => proveNode(node, spec),
    readHead,
    readBlock: (node, number) => readBlock(node, number, 'confirmed'),
    trust,
    clock,
    log: ownLog,
  });

  return {
    readsBlocks: false,
    endpoints: endpoints.control,
    // The identity proof already checked a known genesis; a local chain may have restarted behind its URL.
    genesis: () => endpoints.use((node) => (spec.genesis === null ? readGenesis(node) : Promise.resolve(spec.genesis))),
    head: () => endpoints.head(),
    block: (number) => endpoints.use((node) => readBlock(node, number, 'confirmed')),
    agreed: (number) => endpoints.agreed(number),
    scan: (window, watch) => endpoints.scan(window, watch, (node, same) => scanWindow(node, parts, window, same)),
    // Another node may know a transaction that one node has not received yet or no longer keeps.
    lookup: (transactionHash) =>
      endpoints.use((node) => lookUp(node, spec, transactionHash), {
        accept: (report) => report !== null && report.block !== null,
        better: (one, other) => one !== null && other === null,
      }),
  };
}
