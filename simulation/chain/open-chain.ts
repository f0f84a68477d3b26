// The networks of a history and the chain of each, with a few blocks on it. The exchange is a contract on all of them.

import { networkSpec } from '@/lib/networks/networks';
import { EXCHANGE, WALLET } from '@/simulation/parties';
import type { Random } from '@/simulation/random';
import type { SimulatedChain } from './chain';
import { openEvmChain } from './evm-chain';
import { PLENTY } from './evm-state';
import { openSolanaChain } from './solana-chain';
import { openTronChain } from './tron-chain';

export const NETWORKS = ['ethereum', 'bsc', 'tron', 'solana'] as const;
export type Network = (typeof NETWORKS)[number];

const FINAL_DEPTH = { ethereum: 4, bsc: 2 } as const;
const FIRST_BLOCKS = 8;

/** `funds`: whole tokens that the refund wallet has at first, where a chain has a transfer fail that they do not cover. */
type Options = { readonly unixSeconds: number; readonly random: Random; readonly funds: bigint };

/** What the refund wallet has at first of each token, in whole tokens. */
export const firstFundsOf = (network: Network, funds: bigint): bigint =>
  network === 'ethereum' || network === 'bsc' ? funds : PLENTY;

export function openChain(network: Network, { unixSeconds, random, funds }: Options): SimulatedChain {
  const spec = networkSpec('test', network, 'local')!;
  const given = { spec, wallet: WALLET[spec.family], unixSeconds: unixSeconds - 60 };
  const open = () => {
    switch (network) {
      case 'ethereum':
      case 'bsc':
        return openEvmChain({ ...given, funds, finalDepth: FINAL_DEPTH[network] });
      case 'tron':
        return openTronChain({ ...given, listsTransfers: random.chance(60) });
      case 'solana':
        return openSolanaChain(given);
    }
    return network satisfies never;
  };
  const chain = open();
  for (let left = FIRST_BLOCKS; left > 0; left--) chain.mine(unixSeconds - 2 * left);
  chain.contracts.add(EXCHANGE[spec.family]);
  return chain;
}
