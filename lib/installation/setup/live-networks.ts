// The networks that a set-up may name.

import { NETWORKS } from '@/lib/networks/networks';

/** Networks with real money, the non-standard ones included. Each has a public test network of the same name. */
export const LIVE_NETWORKS: readonly string[] = NETWORKS.filter(({ chain }) => chain === 'mainnet').map(
  ({ network }) => network,
);
