// A real signer of sweeps for one network, on a journal of its own, behind the calls that the worker makes.

import path from 'node:path';
import type { EvmSpec } from '@/lib/networks/networks';
import type { Clock } from '@/lib/platform/clock';
import { callsOn } from '@/lib/signer/calls';
import { RefundSigner } from '@/lib/signer/refund-signer';
import { SignerJournal } from '@/lib/signer/journal/signer-journal';
import { withBudgets } from '@/lib/signer/sweeps/policy';
import { SweepSigner } from '@/lib/signer/sweeps/sweep-signer';
import type { SweepSigning } from '@/lib/sweeps/context';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { sweepKeys, type Sponsor, type SweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { partsOf, seed, temporaryDirectory } from '@/testing/signer/signer-scene';

/** `feesPerHour` in wei. */
export type SignerGiven = {
  readonly spec: EvmSpec;
  readonly treasury: string;
  readonly clock: Clock;
  readonly feesPerHour?: bigint | undefined;
  readonly sponsor?: Sponsor | undefined;
  /** Whether the deposit addresses are those of another wallet. */
  readonly isSeedless?: boolean;
};

/** The sponsors of a signer without the seed of the deposit addresses. A test in which it is asked for a key of theirs fails. */
export const sponsorsOf = (keys: SweepKeys): SweepKeys => ({
  ...keys,
  withDeposit: () => {
    throw new Error('the signer was asked for the key of a deposit address');
  },
});

export function openSweepSigner({ spec, treasury, clock, feesPerHour, sponsor = 'first', isSeedless }: SignerGiven) {
  const parts = { ...partsOf(path.join(temporaryDirectory(), 'journal')), clock };
  const journal = new SignerJournal(parts);
  const refunds = new RefundSigner(parts, journal);
  refunds.giveIndexes({ from: 0, count: 10_000 });
  const budgets = feesPerHour === undefined ? new Map() : new Map([[`${spec.network}@local`, feesPerHour]]);
  const policy = { chains: withBudgets([{ spec, treasury }], budgets), sponsor };
  const keys = isSeedless ? sponsorsOf(sweepKeys(seed)) : sweepKeys(seed);
  const sweeps = new SweepSigner({ journal, keys, policy, refundWallets: {} });
  const table = callsOn(keysFromSeed(seed), refunds, { sweeps });
  /** As on the socket: checked by the schema of the call. */
  const call = async <T>(name: string, params: object): Promise<T> => {
    const answer = table.get(name)!(JSON.parse(JSON.stringify(params)));
    if (!answer)
      throw new AddressSourceError('refused', `The signer refused "${name}": the parameters are out of bounds.`);
    return (await answer) as T;
  };
  const calls: SweepSigning = {
    authorize: (params) => call('authorize', params),
    owns: async (index, addresses) => (await call<{ owns: boolean }>('owns', { index, addresses })).owns,
    sweep: (params) => call('sweep', params),
    state: () => call('state', {}),
    freeze: async (reason) => void (await call('freeze', { reason })),
  };
  return { calls, sweeps, refunds };
}
