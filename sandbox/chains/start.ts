// Starts the sandbox's local chains of every family in parallel. When `startChains` resolves, each is ready for payments, with
// its tokens in place and a funded payer.

import { EVM_NETWORKS, startEvm } from './evm/start';
import type { LocalNetwork, StartOptions } from './local-network';
import { startSolana } from './solana/start';
import { startTron } from './tron/start';

export type LocalChains = {
  readonly networks: ReadonlyMap<string, LocalNetwork>;
  readonly stop: () => Promise<void>;
};

/** In the order of sandbox.json. */
const STARTS: readonly ((options: StartOptions) => Promise<LocalNetwork>)[] = [
  ...EVM_NETWORKS.map((row) => (options: StartOptions) => startEvm(row, options)),
  startTron,
  startSolana,
];

/** Starts all local chains. If one cannot start, it throws and stops the others. */
export async function startChains(options: StartOptions): Promise<LocalChains> {
  const started = await Promise.allSettled(STARTS.map((start) => start(options)));
  const networks = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const stop = async () => {
    await Promise.all(networks.map((one) => one.stop()));
  };
  const fault = started.find((one) => one.status === 'rejected');
  if (fault) {
    await stop();
    throw fault.reason;
  }
  return { networks: new Map(networks.map((one) => [one.network, one])), stop };
}
