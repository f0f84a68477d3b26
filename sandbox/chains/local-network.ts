// A local chain with what stands on it: the token contracts, the funded payer and the tokens' issuer.

import type { NetworkSpec } from '@/lib/chains/networks';
import type { Account, LocalChain } from './local-chain';
import type { Contracts } from './tokens';

export type LocalNetwork = {
  readonly network: string;
  readonly spec: NetworkSpec;
  readonly rpcUrl: string;
  readonly chain: LocalChain;
  readonly contracts: Contracts;
  /** Holder of both tokens and of the coin for fees. */
  readonly payer: Account;
  /** Owner of the token contracts, new at each start. */
  readonly issuer: Account;
};

/** What the payer is given of each token at the start, and again whenever it runs low: ten million. */
export const GRANT_CENTS = 1_000_000_000n;
