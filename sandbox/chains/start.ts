// The sandbox's local chains: starts those of every family side by side. When `startChains` resolves, each is ready to be paid
// on, with its tokens in place and a funded payer.

import { EVM_NETWORKS, startEvm } from './evm/start';
import type { LocalNetwork, StartOptions } from './local-network';
import { startSolana } from './solana/start';
import { startTron } from './tron/start';

export type LocalChains = {
  readonly networks: ReadonlyMap<string, LocalNetwork>;
  readonly stop: () => Promise<void>;
};

/** In the order in which sandbox.json lists them. */
const STARTS: readonly ((options: StartOptions) => Promise<LocalNetwork>)[] = [
  ...EVM_NETWORKS.map((row) => (options: StartOptions) => startEvm(row, options)),
  startTron,
  startSolana,
];

/** Starts all local chains. Throws, with none left running, when one cannot start. */
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
