// The circuit breaker of the hook. After three failures in a row the worker pauses it, and then tries a single request. The state is
// stored per environment, so all workers share it, and failures about test payments do not pause the hook for live ones.

import type { Pool } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { HookAnswer } from './hook';

const MOST_FAILURES = 3;
const FIRST_PAUSE_SECONDS = 10;
const LONGEST_PAUSE_SECONDS = 300;

export type Breaker = {
  /** Calls the hook, or answers unknown while it is paused. */
  readonly call: (ask: () => Promise<HookAnswer>) => Promise<HookAnswer['answer']>;
  /** Stores what this run learned. */
  readonly store: (now: Date) => Promise<void>;
};

const PAUSED = { verdict: 'unknown', reason: 'the hook is paused after failures' } as const;

export async function openBreaker(pool: Pool, environment: Environment, now: Date): Promise<Breaker> {
  const { rows } = await pool.query<{ failures: number; nextAt: Date }>({
    name: 'screening-hook-state',
    text: 'SELECT failures, next_at AS "nextAt" FROM screening_hooks WHERE environment = $1::"Environment"',
    values: [environment],
  });
  const before = rows[0]?.failures ?? 0;
  const isPaused = rows[0] !== undefined && before >= MOST_FAILURES && rows[0].nextAt > now;
  let failures = before;
  let isTried = false;
  return {
    call: async (ask) => {
      if (isPaused || (failures >= MOST_FAILURES && isTried)) return PAUSED;
      isTried = true;
      const { answer, isFailure } = await ask();
      failures = isFailure ? failures + 1 : 0;
      return answer;
    },
    store: async (at) => {
      if (failures === before) return;
      const pause = Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.max(0, failures - MOST_FAILURES));
      await pool.query({
        name: 'screening-hook-store',
        text: `INSERT INTO screening_hooks (environment, failures, next_at) VALUES ($1::"Environment", $2, $3)
               ON CONFLICT (environment) DO UPDATE SET failures = EXCLUDED.failures, next_at = EXCLUDED.next_at`,
        values: [environment, failures, new Date(at.getTime() + pause * 1000)],
      });
    },
  };
}
