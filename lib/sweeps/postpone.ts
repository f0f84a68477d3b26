// Deposit addresses that no sweep may take for a while.

import type { SweepRun } from './context';
import type { Candidate } from './rules';

/** `reason` is shown to operators; null keeps the last one. */
export async function postpone(
  { context, chainId }: Pick<SweepRun, 'context' | 'chainId'>,
  addresses: readonly Pick<Candidate, 'address' | 'currency'>[],
  seconds: number,
  reason: string | null,
): Promise<void> {
  if (addresses.length === 0) return;
  await context.pool.query({
    name: 'sweep-exclude',
    text: `UPDATE deposit_balances d SET not_before = $4, skip_reason = coalesce($5, d.skip_reason)
           FROM unnest($2::text[], $3::text[]) AS e (address, currency)
           WHERE d.chain_id = $1 AND d.address = e.address AND d.currency = e.currency`,
    values: [
      chainId,
      addresses.map(({ address }) => address),
      addresses.map(({ currency }) => currency),
      new Date(context.clock.now().getTime() + seconds * 1000),
      reason,
    ],
  });
}
