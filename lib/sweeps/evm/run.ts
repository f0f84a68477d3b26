// One run over the sweeps of an EVM chain, and what it needs.

import type { ChainAdapter } from '@/lib/networks/chain';
import type { DepositState, SweepChain } from '@/lib/networks/families/evm/sweeping/chain';
import type { EvmSpec } from '@/lib/networks/networks';
import type { ChainSender } from '@/lib/networks/sending/send';
import type { SignerSweeps, SweepRun } from '@/lib/sweeps/context';
import type { Presigned } from './presigned';
import type { Candidate } from '@/lib/sweeps/rules';

/** What the sweeps of one EVM chain need. */
export type Evm = {
  readonly spec: EvmSpec;
  readonly adapter: Pick<ChainAdapter, 'lookup'>;
  readonly chain: SweepChain;
  readonly sender: Pick<ChainSender, 'nextNonce' | 'finalNonce' | 'broadcast'>;
  /** Milliseconds until a transaction outside a block gets a higher price. */
  readonly replaceAfter: number;
  /** Where the keys of deposit addresses are offline; null where the signer has them. */
  readonly presigned: Presigned | null;
  /** Until this time (milliseconds) no endpoint takes EIP-7702, so each address is swept by itself. */
  readonly fallback: { until: number };
};

/** Addresses that can be swept now, with their state on the chain. */
export type Ready = readonly (readonly [Candidate, DepositState])[];

export type EvmRun = SweepRun & { readonly evm: Evm; readonly wallets: SignerSweeps & { readonly delegate: string } };

/** Throws an Error if the signer has no delegate on the chain. */
export function onEvm(run: SweepRun, evm: Evm): EvmRun {
  const { delegate } = run.wallets;
  if (delegate === null) throw new Error(`the signer names no delegate on ${evm.spec.network}`);
  return { ...run, evm, wallets: { ...run.wallets, delegate } };
}
