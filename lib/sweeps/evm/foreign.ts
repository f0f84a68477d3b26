// Deposit addresses that must not be swept although the books say so: empty ones, and those that run code which is not ours. Foreign
// code means that somebody else has the key of a deposit address, and one seed derives all of them, so signing stops.

import type { DepositState } from '@/lib/networks/families/evm/sweeping/chain';
import { postpone } from '@/lib/sweeps/postpone';
import type { Candidate } from '@/lib/sweeps/rules';
import type { Ready } from './family';
import type { EvmRun } from './run';

/** Seconds until an address that is empty on the chain is read again. Its facts arrive before. */
const EMPTY_PAUSE = 600;
const FOREIGN_PAUSE = 86_400;

/** The addresses that can be swept, with their state. Postpones the others. */
export async function excludeForeign(
  run: EvmRun,
  batch: readonly Candidate[],
  states: readonly DepositState[],
): Promise<Ready> {
  const { context, sweeping, wallets } = run;
  const pairs = batch.map((one, at) => [one, states[at] as DepositState] as const);
  const isForeign = ({ delegate }: DepositState): boolean => delegate !== null && delegate !== wallets.delegate;
  const foreign = pairs.filter(([, state]) => isForeign(state));
  const empty = pairs.filter(([, state]) => !isForeign(state) && state.held === 0n);
  await postpone(run, candidates(empty), EMPTY_PAUSE, null);
  if (foreign.length === 0) return pairs.filter(([, { held }]) => held > 0n);
  await postpone(run, candidates(foreign), FOREIGN_PAUSE, 'foreign_delegation');
  const { network, environment } = sweeping.spec;
  const addresses = foreign.map(([{ address }]) => address);
  context.log.error(
    { network, environment, addresses },
    'deposit addresses run code that is not ours: their keys may be stolen',
  );
  await sweeping.signer.freeze(`deposit addresses on ${network} (${environment}) run code that is not ours`);
  return [];
}

const candidates = (pairs: Ready) => pairs.map(([candidate]) => candidate);
