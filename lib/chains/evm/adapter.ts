// The EVM networks (Ethereum, BSC and their like) behind the interface that the rest of the service knows. The adapter
// keeps no position: it proves an answer for what it is asked, or throws.

import type { Clock } from '@/lib/clock';
import { unixSeconds } from '@/lib/clock';
import type { Log } from '@/lib/log';
import type { ChainAdapter, Head } from '../chain';
import { ChainError } from '../chain';
import { openEndpoints, type Choice } from '../endpoints';
import type { NetworkSpec } from '../networks';
import { proveNode, readBlock, readHead, type EvmNode } from './node';
import { openRpcClient } from './rpc';
import { scanWindow } from './scan';

/** A node whose newest block is older than this is believed only when no other has a newer one. */
const STALE_SECONDS = 120;

export type EvmOptions = {
  readonly spec: NetworkSpec;
  /** Endpoints in the operator's order of preference. */
  readonly urls: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  /** How long an endpoint may take for one answer, in milliseconds. */
  readonly timeoutMs?: number;
};

/** Opens the adapter of one network. Nothing is asked of the endpoints before the first call. */
export function openEvmAdapter({ spec, urls, clock, log, timeoutMs }: EvmOptions): ChainAdapter {
  const clients = urls.map((url, index): EvmNode => {
    const name = `endpoint ${index + 1}`;
    return { name, rpc: openRpcClient(url, name, timeoutMs), logsRefused: false };
  });
  const endpoints = openEndpoints({
    clients,
    prove: (node) => proveNode(node, spec),
    clock,
    log: log.child({ network: spec.network, environment: spec.environment }),
  });
  const freshest: Choice<Head> = {
    accept: ({ tip }) => unixSeconds(clock.now()) - tip.time < STALE_SECONDS,
    better: (one, other) => one.tip.number > other.tip.number,
  };

  return {
    genesis: () =>
      endpoints.use(async (node) => {
        // A known genesis was part of the endpoint's proof; a local chain may have been started afresh behind its address.
        if (spec.genesis !== null) return spec.genesis;
        const block = await readBlock(node, 0);
        if (!block) throw new ChainError('unavailable', `${node.name} has no genesis block`);
        return block.hash;
      }),
    head: () => endpoints.use((node) => readHead(node, spec), freshest),
    block: (number) => endpoints.use((node) => readBlock(node, number)),
    scan: (window, watch) => endpoints.use((node) => scanWindow(node, spec, window, watch)),
  };
}
