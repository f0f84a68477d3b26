// The adapter of the EVM networks (Ethereum, BSC and similar). The adapter keeps no position: it proves each answer, or throws.

import type { Clock } from '@/lib/platform/clock';
import type { Log } from '@/lib/platform/log';
import type { Trust } from '@/lib/networks/endpoints/agreement';
import type { ChainAdapter } from '@/lib/networks/chain';
import { ChainError } from '@/lib/networks/chain';
import { openEndpoints, type EndpointControl } from '@/lib/networks/endpoints/endpoints';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { lookupTransaction } from './reading/lookup';
import { followHead, proveNode, readBlock, type EvmNode } from './node';
import { openRpcClient } from '@/lib/networks/endpoints/json-rpc/client';
import type { SharedHead } from '@/lib/networks/endpoints/shared-head';
import { scanWindow } from './reading/scan';

export type EvmOptions = {
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
export function openEvmAdapter({
  spec,
  urls,
  trust,
  clock,
  log,
  timeoutMs,
  budgets,
  heads,
}: EvmOptions): ChainAdapter & { readonly endpoints: EndpointControl } {
  const clients = urls.map((url, index): EvmNode => {
    const name = `endpoint ${index + 1}`;
    const rpc = openRpcClient(url, name, { timeoutMs, budget: budgets?.[index] });
    return { name, rpc, logsRefused: false, shared: heads?.[index] };
  });
  const endpoints = openEndpoints({
    spec,
    clients,
    prove: (node) => proveNode(node, spec),
    readHead: (node) => followHead(node, spec),
    readBlock: (node, number) => readBlock(node, number),
    trust,
    clock,
    log: log.child({ network: spec.network, environment: spec.environment }),
  });

  return {
    readsBlocks: true,
    endpoints: endpoints.control,
    genesis: () =>
      endpoints.use(async (node) => {
        // The identity proof already checked a known genesis; a local chain may have restarted behind its URL.
        if (spec.genesis !== null) return spec.genesis;
        const block = await readBlock(node, 0);
        if (!block) throw new ChainError('unavailable', `${node.name} has no genesis block`);
        return block.hash;
      }),
    head: () => endpoints.head(),
    block: (number) => endpoints.use((node) => readBlock(node, number)),
    agreed: (number) => endpoints.agreed(number),
    scan: (window, watch) => endpoints.scan(window, watch, (node, same) => scanWindow(node, spec, window, same)),
    // Another node may know a transaction that one node has not received yet, or not as mined.
    lookup: (transactionHash) =>
      endpoints.use((node) => lookupTransaction(node, spec, transactionHash), {
        accept: (report) => report !== null && report.block !== null,
        better: (one, other) => one !== null && other === null,
      }),
  };
}
