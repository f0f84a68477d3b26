// Deposit addresses that must not be swept although the books say so. A transaction moves all of its addresses or none, so an empty or
// frozen one would hold back the others.

import type { DepositState } from '@/lib/networks/families/solana/sweeping/chain';
import type { Candidate } from '@/lib/sweeps/rules';
import type { SolanaRun } from './family';

/** Seconds until an address that is empty on the chain is read again. Its facts arrive before. */
const EMPTY_PAUSE = 600;
const FROZEN_PAUSE = 86_400;
/** Seconds until addresses are tried again alone, and a single one again. */
const [SHARED_PAUSE, FAILING_PAUSE] = [60, 3600];

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
    { seconds: EMPTY_PAUSE, reason: null, skips: 0 },
  );
  const frozen = of(({ held, isFrozen }) => held > 0n && isFrozen);
  await postpone(run, frozen, { seconds: FROZEN_PAUSE, reason: 'refused', skips: 0 });
  return of(({ held, isFrozen }) => held > 0n && !isFrozen);
}

/** A simulation failed although every account was in order a moment ago. */
export async function postponeFailing(run: SolanaRun, items: readonly Candidate[], error: string): Promise<void> {
  const { network, environment } = run.solana.spec;
  const addresses = items.map(({ address }) => address);
  run.context.log.warn({ network, environment, addresses, error }, 'a sweep was tried out and would fail');
  const seconds = items.length > 1 ? SHARED_PAUSE : FAILING_PAUSE;
  await postpone(run, items, { seconds, reason: 'reverted', skips: 1 });
}

type Pause = { readonly seconds: number; readonly reason: 'refused' | 'reverted' | null; readonly skips: number };

async function postpone(
  { context, chainId }: SolanaRun,
  items: readonly Candidate[],
  { seconds, reason, skips }: Pause,
): Promise<void> {
  if (items.length === 0) return;
  await context.pool.query({
    name: 'sweep-solana-exclude',
    text: `UPDATE deposit_balances d SET not_before = $4, skip_reason = coalesce($5, d.skip_reason), skips = d.skips + $6::int
           FROM unnest($2::text[], $3::text[]) AS e (address, currency)
           WHERE d.chain_id = $1 AND d.address = e.address AND d.currency = e.currency`,
    values: [
      chainId,
      items.map(({ address }) => address),
      items.map(({ currency }) => currency),
      new Date(context.clock.now().getTime() + seconds * 1000),
      reason,
      skips,
    ],
  });
}
