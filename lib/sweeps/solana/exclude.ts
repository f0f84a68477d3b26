// Deposit addresses that must not be swept although the books say so. A transaction moves all of its addresses or none, so an empty or
// frozen one would hold back the others.

import type { AccountState } from '@/lib/networks/families/solana/sweeping/chain';
import { postpone, skipAddresses } from '@/lib/sweeps/postpone';
import { movable, type Candidate } from '@/lib/sweeps/rules';
import type { SolanaRun } from './run';
import type { Source } from './sources';

/** Seconds until an address that is empty on the chain is read again. Its facts arrive before. */
const EMPTY_PAUSE = 600;
const FROZEN_PAUSE = 86_400;
/** Seconds until the addresses of a transaction that would fail are tried again alone. */
const SHARED_PAUSE = 60;

/** A deposit address with the amount that leaves it now. */
export type Leaving = Candidate & {
  /** Its token account if that is not the associated one. */
  readonly account: string | null;
  /** Whether its account is empty afterwards and is closed. Other accounts stay open: their former owner may have kept that authority. */
  readonly isClosed: boolean;
};

type Found = readonly [Leaving, AccountState];

/**
 * What can leave the addresses now, of each from the account that holds most of it and is not frozen. Postpones addresses that nothing can
 * leave.
 */
export async function excludeStuck(
  run: SolanaRun,
  sources: readonly Source[],
  states: readonly AccountState[],
): Promise<readonly Leaving[]> {
  const found = new Map<string, Found>();
  sources.forEach((source, at) => {
    const state = states[at] as AccountState;
    const leaving = leavingOf(source, state, run.isScreened);
    const known = found.get(source.owner);
    if (!known || isBetter([leaving, state], known)) found.set(source.owner, [leaving, state]);
  });
  const of = (which: (leaving: Leaving, state: AccountState) => boolean): Leaving[] =>
    [...found.values()].filter((one) => which(...one)).map(([leaving]) => leaving);
  await postpone(
    run,
    of(({ amount }) => amount === 0n),
    EMPTY_PAUSE,
    null,
  );
  await postpone(
    run,
    of(({ amount }, { isFrozen }) => amount > 0n && isFrozen),
    FROZEN_PAUSE,
    'refused',
  );
  return of(isMovable);
}

function isBetter([leaving, state]: Found, [known, knownState]: Found): boolean {
  const canMove = isMovable(leaving, state);
  return canMove === isMovable(known, knownState) ? leaving.amount > known.amount : canMove;
}

const isMovable = ({ amount }: Leaving, { isFrozen }: AccountState): boolean => amount > 0n && !isFrozen;

function leavingOf({ candidate, account, isAssociated, stored }: Source, { held }: AccountState, isScreened: boolean) {
  const amount = movable({ amount: stored }, held, isScreened);
  return {
    ...candidate,
    amount,
    account: isAssociated ? null : account,
    isClosed: isAssociated && amount === held,
  };
}

/** A simulation failed although every account was in order a moment ago. */
export async function postponeFailing(run: SolanaRun, items: readonly Candidate[], error: string): Promise<void> {
  const { network, environment } = run.solana.spec;
  const addresses = items.map(({ address }) => address);
  run.context.log.warn({ network, environment, addresses, error }, 'a sweep was tried out and would fail');
  await skipAddresses(run, items, 'reverted', items.length > 1 ? SHARED_PAUSE : null);
}
