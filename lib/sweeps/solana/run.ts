// One run over the sweeps of a Solana chain.

import type { ChainAdapter } from '@/lib/networks/chain';
import type { SolanaSweepChain } from '@/lib/networks/families/solana/sweeping/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { SweepRun } from '@/lib/sweeps/context';

/** What the sweeps of one Solana chain need. */
export type Solana = {
  readonly spec: NetworkSpec;
  readonly adapter: Pick<ChainAdapter, 'lookup'>;
  readonly chain: SolanaSweepChain;
  readonly sender: Pick<ChainSender, 'broadcast'>;
};

export type SolanaRun = SweepRun & { readonly solana: Solana };
