// Chain ids of the sandbox's local chains, from the networks table.

import { networkSpec } from '@/lib/networks/networks';

export function localChainId(network: string): number {
  const id = networkSpec('test', network, 'local')?.chainId;
  if (typeof id !== 'number') throw new Error(`the networks table has no local chain id of ${network}`);
  return id;
}
