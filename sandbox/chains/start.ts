// Starts the sandbox's local chains of every family in parallel. When `startChains` resolves, each is ready for payments, with
// its tokens in place and a funded payer.

import { ALL_EVM_NETWORKS, EVM_NETWORKS, startEvm, type EvmRow } from './evm/start';
import { openEndpoint, type Endpoint } from './endpoint';
import type { LocalNetwork, StartOptions } from './local-network';
import { startSolana } from './solana/start';
import { startTron } from './tron/start';

export type LocalChains = {
  readonly networks: ReadonlyMap<string, LocalNetwork>;
  /** By network, what `rpcUrl` leads to. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  readonly stop: () => Promise<void>;
};

/** In the order of sandbox.json. */
const starts = (rows: readonly EvmRow[]): readonly ((options: StartOptions) => Promise<LocalNetwork>)[] => [
  ...rows.map((row) => (options: StartOptions) => startEvm(row, options)),
  startTron,
  startSolana,
];

/** Starts the local chains of the sandbox. If one cannot start, it throws and stops the others. */
export const startChains = (options: StartOptions): Promise<LocalChains> => startThose(starts(EVM_NETWORKS), options);

/** The same for every network of the table, also those that are off. */
export const startAllChains = (options: StartOptions): Promise<LocalChains> =>
  startThose(starts(ALL_EVM_NETWORKS), options);

async function startThose(all: ReturnType<typeof starts>, options: StartOptions): Promise<LocalChains> {
  const started = await Promise.allSettled(all.map(async (start) => withEndpoint(await start(options))));
  const served = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async () => {
    await Promise.all(served.map(({ network }) => network.stop()));
    await Promise.all(served.map(({ endpoint }) => endpoint.stop()));
  };
  const fault = started.find((one) => one.status === 'rejected');
  if (fault) {
    await stop();
    throw fault.reason;
  }
  return {
    networks: new Map(served.map(({ network }) => [network.network, network])),
    endpoints: new Map(served.map(({ network, endpoint }) => [network.network, endpoint])),
    stop,
  };
}

/** The chain behind an endpoint that can be away while the chain goes on. */
async function withEndpoint(chain: LocalNetwork): Promise<{ network: LocalNetwork; endpoint: Endpoint }> {
  const endpoint = await openEndpoint(chain.rpcUrl);
  return { network: { ...chain, rpcUrl: endpoint.url }, endpoint };
}
