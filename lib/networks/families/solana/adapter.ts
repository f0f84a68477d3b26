// Solana behind the interface that the rest of the service knows. Blocks are too large to be read whole, so what is read are
// the token accounts of the receiving addresses (architecture: Watching chains). The adapter keeps no position: it proves an
// answer for what it is asked, or throws.

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
  /** Absent: one endpoint's word is enough for any amount. */
  readonly trust?: Trust | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** How long an endpoint may take for one answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** Of the endpoints, in the order of `urls`, shared with whatever else asks them. Absent: each client has its own. */
  readonly budgets?: readonly RequestBudget[] | undefined;
  /** Heads that are shared, in the same order. */
  readonly heads?: readonly SharedHead[] | undefined;
};

/** Opens the adapter of one network. Nothing is asked of the endpoints before the first call. */
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
    // A known genesis was part of the endpoint's proof; a local chain may have been started afresh behind its address.
    genesis: () => endpoints.use((node) => (spec.genesis === null ? readGenesis(node) : Promise.resolve(spec.genesis))),
    head: () => endpoints.head(),
    block: (number) => endpoints.use((node) => readBlock(node, number, 'confirmed')),
    agreed: (number) => endpoints.agreed(number),
    scan: (window, watch) => endpoints.scan(window, watch, (node, same) => scanWindow(node, parts, window, same)),
    // What one node has not heard of yet, or does not keep any more, may be known to another.
    lookup: (transactionHash) =>
      endpoints.use((node) => lookUp(node, spec, transactionHash), {
        accept: (report) => report !== null && report.block !== null,
        better: (one, other) => one !== null && other === null,
      }),
  };
}
