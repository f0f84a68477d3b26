// Deposit addresses that must not be swept although the books say so. A transaction moves all of its addresses or none, so an empty or
// frozen one would hold back the others.

import type { DepositState } from '@/lib/networks/families/solana/sweeping/chain';
import { postpone, skipAddresses } from '@/lib/sweeps/postpone';
import type { Candidate } from '@/lib/sweeps/rules';
import type { SolanaRun } from './run';

/** Seconds until an address that is empty on the chain is read again. Its facts arrive before. */
const EMPTY_PAUSE = 600;
const FROZEN_PAUSE = 86_400;
/** Seconds until the addresses of a transaction that would fail are tried again alone. */
const SHARED_PAUSE = 60;

/** The addresses that can be swept, with what they hold on the chain. Postpones the others. */
export async function excludeStuck(
  run: SolanaRun,
  batch: readonly Candidate[],
  states: readonly DepositState[],
): Promise<readonly Candidate[]> {
  const pairs = batch.map((one, at) => [one, states[at] as DepositState] as const);
  const of = (which: (state: DepositState) => boolean): Candidate[] =>
    pairs.filter(([, state]) => which(state)).map(([one, { held }]) => ({ ...one, amount: held }));
  await postpone(
    run,
    of(({ held }) => held === 0n),
    EMPTY_PAUSE,
    null,
  );
  await postpone(
    run,
    of(({ held, isFrozen }) => held > 0n && isFrozen),
    FROZEN_PAUSE,
    'refused',
  );
  return of(({ held, isFrozen }) => held > 0n && !isFrozen);
}

/** A simulation failed although every account was in order a moment ago. */
export async function postponeFailing(run: SolanaRun, items: readonly Candidate[], error: string): Promise<void> {
  const { network, environment } = run.solana.spec;
  const addresses = items.map(({ address }) => address);
  run.context.log.warn({ network, environment, addresses, error }, 'a sweep was tried out and would fail');
  await skipAddresses(run, items, 'reverted', items.length > 1 ? SHARED_PAUSE : null);
}
