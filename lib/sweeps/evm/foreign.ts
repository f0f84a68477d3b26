// Deposit addresses that must not be swept although the books say so: empty ones, and those that run code which is not ours. Foreign
// code means that somebody else has the key of a deposit address, and one seed derives all of them, so signing stops.

import type { DepositState } from '@/lib/networks/families/evm/sweeping/chain';
import type { SkipReason } from '@/lib/sweeps/reasons';
import type { Candidate } from '@/lib/sweeps/rules';
import type { EvmRun, Ready } from './run';

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
  await postpone(run, empty, EMPTY_PAUSE, null);
  if (foreign.length === 0) return pairs.filter(([, { held }]) => held > 0n);
  await postpone(run, foreign, FOREIGN_PAUSE, 'foreign_delegation');
  const { network, environment } = sweeping.spec;
  const addresses = foreign.map(([{ address }]) => address);
  context.log.error(
    { network, environment, addresses },
    'deposit addresses run code that is not ours: their keys may be stolen',
  );
  await sweeping.signer.freeze(`deposit addresses on ${network} (${environment}) run code that is not ours`);
  return [];
}

/** Postpones addresses. `reason`: why, or null if that needs no attention. */
export async function postpone(
  { context, chainId }: EvmRun,
  pairs: Ready,
  seconds: number,
  reason: SkipReason | null,
): Promise<void> {
  if (pairs.length === 0) return;
  await context.pool.query({
    name: 'sweep-exclude',
    text: `UPDATE deposit_balances d SET not_before = $4, skip_reason = coalesce($5, d.skip_reason)
           FROM unnest($2::text[], $3::text[]) AS e (address, currency)
           WHERE d.chain_id = $1 AND d.address = e.address AND d.currency = e.currency`,
    values: [
      chainId,
      pairs.map(([{ address }]) => address),
      pairs.map(([{ currency }]) => currency),
      new Date(context.clock.now().getTime() + seconds * 1000),
      reason,
    ],
  });
}
