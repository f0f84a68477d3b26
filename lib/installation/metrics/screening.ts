// Metrics of screening for Prometheus: hits, addresses that wait for an answer, and the age of the sanctions list.

import type { Context } from '@/lib/platform/context';
import { readListState } from '@/lib/screening/list/read';
import type { Numbers, Sample } from './numbers';

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

export async function screeningNumbers(deps: Deps): Promise<Numbers[]> {
  const [{ rows }, { asOf }] = await Promise.all([
    deps.pool.query<{ hits: number; waiting: number }>({
      name: 'metrics-screening',
      text: `SELECT (SELECT count(*)::int FROM screenings WHERE verdict = 'hit' AND released_at IS NULL) AS hits,
               (SELECT count(*)::int FROM screenings WHERE next_at IS NOT NULL) AS waiting`,
      values: [],
    }),
    readListState(deps),
  ]);
  const age = asOf === null ? null : (deps.clock.now().getTime() - asOf.getTime()) / 1000;
  return [
    { name: 'screening_hits', help: 'Hits of the screening that are not released.', samples: one(rows[0]?.hits ?? 0) },
    {
      name: 'screening_waiting',
      help: 'Addresses that wait for an answer of the screening.',
      samples: one(rows[0]?.waiting ?? 0),
    },
    { name: 'sanctions_list_age_seconds', help: 'Age of the loaded sanctions list.', samples: one(age) },
  ];
}

const one = (value: number | null): readonly Sample[] => (value === null ? [] : [{ labels: {}, value }]);
