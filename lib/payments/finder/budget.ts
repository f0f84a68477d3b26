// The lookup budget of the payment finder. Anyone can paste any hash, and each lookup uses the provider plan that the watcher needs for
// payments. So lookups have their own daily budget, counted in the database for all processes, and stop while the watcher lags.

import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import type { FinderBudget } from '@/prisma/generated/enums';

/** A chain that was not read for this long has a failing watcher, or none. */
const SILENCE_MILLISECONDS = 120_000;
/** More than any network's finality takes: a final cursor further behind has blocks to catch up with. */
const BEHIND_MILLISECONDS = 2_700_000;

/** Takes one lookup from the day's budget. False when it is used up, or while the watcher lags. */
export async function takeLookup(
  { pool, clock, config }: Context,
  { environment, network, spec }: FollowedChain,
  budget: FinderBudget,
): Promise<boolean> {
  const now = clock.now();
  const before = (milliseconds: number): Date => new Date(now.getTime() - milliseconds);
  const { rowCount } = await pool.query({
    name: 'finder-take',
    text: `INSERT INTO finder_days AS f (environment, network, day, budget, lookups)
           SELECT environment, network, ($3::timestamptz AT TIME ZONE 'UTC')::date, $4::"FinderBudget", 1 FROM chains
           WHERE environment = $1::"Environment" AND network = $2 AND retired_at IS NULL AND trouble IS NULL
             AND scanned_at >= $5 AND ($6::timestamptz IS NULL OR final_time >= $6) AND $7::int > 0
           ON CONFLICT (environment, network, day, budget) DO UPDATE SET lookups = f.lookups + 1 WHERE f.lookups < $7`,
    values: [
      environment,
      network,
      now,
      budget,
      before(SILENCE_MILLISECONDS),
      // A local chain may produce no blocks.
      spec.chain === 'local' ? null : before(BEHIND_MILLISECONDS),
      config.FINDER_LOOKUPS_PER_DAY,
    ],
  });
  return rowCount === 1;
}
