// Deposit addresses that must not be swept although the books say so: empty ones, and those that run code which is not ours. Foreign
// code means that somebody else has the key of a deposit address, and one seed derives all of them, so signing stops. A public test network
// never stops it.

import type { DepositState } from '@/lib/networks/families/evm/sweeping/chain';
import { stopsSigning } from '@/lib/networks/networks';
import type { SweepRun } from '@/lib/sweeps/context';
import { postpone } from '@/lib/sweeps/postpone';
import type { Candidate } from '@/lib/sweeps/rules';
import type { Evm, EvmRun, Ready } from './run';

/** Seconds until an address that is empty on the chain is read again. Its facts arrive before. */
const EMPTY_PAUSE = 600;
const FOREIGN_PAUSE = 86_400;

/** Whether an address runs code that is neither the delegate nor that of a former treasury. */
export const isForeign = (
  { wallets, formerDelegates }: SweepRun,
  { delegate }: Pick<DepositState, 'delegate'>,
): boolean => delegate !== null && delegate !== wallets.delegate && !formerDelegates.includes(delegate);

/** The addresses that can be swept, with their state. Postpones the others. */
export async function excludeForeign(run: EvmRun, pairs: Ready): Promise<Ready> {
  const foreign = pairs.filter(([, state]) => isForeign(run, state));
  const others = pairs.filter(([, state]) => !isForeign(run, state));
  const empty = others.filter(([, { held }]) => held === 0n);
  await postpone(run, candidatesOf(empty), EMPTY_PAUSE, null);
  const stolen = await freezeIfStolen(
    run,
    run.evm,
    foreign.map(([{ address }]) => address),
  );
  const isStolen = ([{ address }]: Ready[number]): boolean => stolen.has(address);
  await postpone(run, candidatesOf(foreign.filter(isStolen)), FOREIGN_PAUSE, 'foreign_delegation');
  // One endpoint alone reports it.
  await postpone(run, candidatesOf(foreign.filter((one) => !isStolen(one))), EMPTY_PAUSE, null);
  return stolen.size > 0 ? [] : others.filter(([, { held }]) => held > 0n);
}

const candidatesOf = (pairs: Ready): readonly Candidate[] => pairs.map(([candidate]) => candidate);

/**
 * Those of the addresses that run foreign code by as many endpoints as a final outcome needs. Their keys may be stolen, so signing
 * stops, except on a public test network. One endpoint that lies must not stop it.
 */
export async function freezeIfStolen(
  run: SweepRun,
  { chain }: Pick<Evm, 'chain'>,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const agreed = await chain.agreedDelegates(addresses);
  const stolen = [...agreed].flatMap(([address, delegate]) => (isForeign(run, { delegate }) ? [address] : []));
  if (stolen.length === 0) return new Set();
  const { network, environment } = run.sweeping.spec;
  run.context.log.error(
    { network, environment, addresses: stolen },
    'deposit addresses run code that is not ours: their keys may be stolen',
  );
  if (stopsSigning(run.sweeping.spec))
    await run.sweeping.signer.freeze(`deposit addresses on ${network} (${environment}) run code that is not ours`);
  return new Set(stolen);
}
