// One run over the sweeps of an EVM chain.

import type { SignerSweeps, SweepRun } from '@/lib/sweeps/context';
import type { Evm } from './family';

export type EvmRun = SweepRun & { readonly evm: Evm; readonly wallets: SignerSweeps & { readonly delegate: string } };

/** Throws an Error if the signer has no delegate on the chain. */
export function onEvm(run: SweepRun, evm: Evm): EvmRun {
  const { delegate } = run.wallets;
  if (delegate === null) throw new Error(`the signer names no delegate on ${evm.spec.network}`);
  return { ...run, evm, wallets: { ...run.wallets, delegate } };
}
