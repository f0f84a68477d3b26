// What needs an operator about screening: hits that operators have not released, frozen money that its store has paid out before, addresses
// that no source answers about, and a sanctions list that is missing or old.

import { readShortfalls } from '@/lib/ledger/frozen';
import type { Context } from '@/lib/platform/context';
import { readListState } from '@/lib/screening/list/read';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

export type ScreeningFact = {
  readonly kind: 'screening_hit' | 'screening_short' | 'screening_waiting' | 'screening_list';
  readonly environment: 'live' | 'test';
  readonly count: number;
  readonly newestAt: Date | null;
};

/** Money that waits longer than this for an answer needs an operator. */
const WAITING_MINUTES = 15;
const MAX_COUNTED = 1000;

export async function readScreeningFacts(deps: Deps): Promise<readonly ScreeningFact[]> {
  const { rows } = await deps.pool.query<ScreeningFact>({
    name: 'alarm-screening',
    text: `SELECT 'screening_hit' AS kind, environment, count(*)::int AS count, max(checked_at) AS "newestAt"
           FROM (SELECT environment, checked_at FROM screenings WHERE verdict = 'hit' AND released_at IS NULL
             ORDER BY id DESC LIMIT ${MAX_COUNTED}) AS hits GROUP BY environment
           UNION ALL
           SELECT 'screening_waiting', environment, count(*)::int, NULL
           FROM (SELECT environment FROM screenings WHERE next_at IS NOT NULL
             AND requested_at <= $1::timestamptz - interval '${WAITING_MINUTES} minutes' LIMIT ${MAX_COUNTED}) AS waiting
           GROUP BY environment`,
    values: [deps.clock.now()],
  });
  const facts = [...rows, ...(await shortFacts(deps))];
  if (deps.config.SCREENING_LIST_KEY === undefined) return facts;
  const { isStale } = await readListState(deps);
  const list = { kind: 'screening_list', environment: 'live', count: 1, newestAt: null } as const;
  return isStale ? [...facts, list] : facts;
}

/** `count`: balances of stores. */
async function shortFacts({ pool }: Deps): Promise<readonly ScreeningFact[]> {
  const shortfalls = await readShortfalls(pool, MAX_COUNTED);
  return (['live', 'test'] as const).flatMap((environment) => {
    const count = shortfalls.filter((one) => one.environment === environment).length;
    return count === 0 ? [] : [{ kind: 'screening_short', environment, count, newestAt: null } as const];
  });
}
