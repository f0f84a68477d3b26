// Deposit addresses that must not be swept although the books say so: empty ones, and those that run code which is not ours. Foreign
// code means that somebody else has the key of a deposit address, and one seed derives all of them, so signing stops.

import type { DepositState } from '@/lib/networks/families/evm/sweeping/chain';
import type { SweepRun } from '@/lib/sweeps/context';
import { postpone } from '@/lib/sweeps/postpone';
import type { Candidate } from '@/lib/sweeps/rules';
import type { EvmRun, Ready } from './run';

/** Seconds until an address that is empty on the chain is read again. Its facts arrive before. */
const EMPTY_PAUSE = 600;
const FOREIGN_PAUSE = 86_400;

/** Whether an address runs code that is neither the delegate nor that of a former treasury. */
export const isForeign = ({ wallets, formerDelegates }: SweepRun, { delegate }: DepositState): boolean =>
  delegate !== null && delegate !== wallets.delegate && !formerDelegates.includes(delegate);

/** The addresses that can be swept, with their state. Postpones the others. */
export async function excludeForeign(
  run: EvmRun,
  batch: readonly Candidate[],
  states: readonly DepositState[],
): Promise<Ready> {
  const pairs = batch.map((one, at) => [one, states[at] as DepositState] as const);
  const foreign = pairs.filter(([, state]) => isForeign(run, state));
  const empty = pairs.filter(([, state]) => !isForeign(run, state) && state.held === 0n);
  await postpone(run, candidatesOf(empty), EMPTY_PAUSE, null);
  if (foreign.length === 0) return pairs.filter(([, { held }]) => held > 0n);
  await postpone(run, candidatesOf(foreign), FOREIGN_PAUSE, 'foreign_delegation');
  await freezeFor(
    run,
    foreign.map(([{ address }]) => address),
  );
  return [];
}

const candidatesOf = (pairs: Ready): readonly Candidate[] => pairs.map(([candidate]) => candidate);

/** Stops signing, because the keys of these addresses may be stolen. */
export async function freezeFor({ context, sweeping }: SweepRun, addresses: readonly string[]): Promise<void> {
  const { network, environment } = sweeping.spec;
  context.log.error(
    { network, environment, addresses },
    'deposit addresses run code that is not ours: their keys may be stolen',
  );
  await sweeping.signer.freeze(`deposit addresses on ${network} (${environment}) run code that is not ours`);
}
