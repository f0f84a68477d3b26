// The pairs of network and token that an operator can allow a store, as `ethereum-USDC`.

import { NETWORKS } from '@/lib/networks/networks';
import { presentedNetworks } from '@/lib/networks/registry';
import type { Config } from '@/lib/platform/config/config';

/** Every pair that this release knows. */
export const PAIRS: readonly string[] = [
  ...new Set(NETWORKS.flatMap(({ network, tokens }) => Object.keys(tokens).map((token) => `${network}-${token}`))),
];

/** The pairs of the networks that this installation presents. */
export const presentedPairs = (config: Config): { readonly network: string; readonly currency: string }[] =>
  presentedNetworks(config).flatMap((network) =>
    [...new Set(NETWORKS.filter((one) => one.network === network).flatMap(({ tokens }) => Object.keys(tokens)))].map(
      (currency) => ({ network, currency }),
    ),
  );
