// What sweeping on one network needs: the chain, the signer, and the wallets that the signer has pinned.

import type { ChainAdapter } from '@/lib/networks/chain';
import type { DepositState, SweepChain } from '@/lib/networks/families/evm/sweeping/chain';
import type { EvmSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { Context } from '@/lib/platform/context';
import type { SignerClient, SignerState } from '@/lib/signer/client';
import type { Candidate, SweepRules } from './rules';

/** The signer's entry for a network: treasury, sponsor, delegate and fee budget. Amounts are wei as decimal text. */
export type SignerSweeps = NonNullable<SignerState['sweeps']>[number];

export type SweepSigning = Pick<SignerClient, 'authorize' | 'sweep' | 'state' | 'freeze'>;

/** One network. It is opened once per process. */
export type Sweeping = {
  readonly spec: EvmSpec;
  readonly adapter: Pick<ChainAdapter, 'lookup'>;
  readonly genesis: () => Promise<string>;
  readonly chain: SweepChain;
  readonly sender: Pick<ChainSender, 'nextNonce' | 'finalNonce' | 'broadcast'>;
  readonly signer: SweepSigning;
  /** The treasury that this process expects (TREASURY_WALLETS); null without one. */
  readonly treasury: string | null;
  readonly rules: SweepRules;
  /** Seconds after the end of a session until its address may be swept. */
  readonly delaySeconds: number;
  /** Milliseconds until a transaction outside a block gets a higher price. */
  readonly replaceAfter: number;
  /** Until this time (milliseconds) no endpoint takes EIP-7702, so each address is swept by itself. */
  readonly fallback: { until: number };
};

/** One run on the chain that is followed now. */
export type SweepRun = {
  readonly context: Context;
  readonly sweeping: Sweeping;
  readonly chainId: number;
  readonly wallets: SignerSweeps;
};

/** Addresses that can be swept now, with their state on the chain. */
export type Ready = readonly (readonly [Candidate, DepositState])[];
