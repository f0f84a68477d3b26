// Which worker processes run and which steps none of them runs, as the processes record it (lib/worker/processes/heartbeat).

import type { Db } from '@/lib/platform/database/db';

/** A process that has not written for this long has ended. It writes four times as often. */
export const SILENT_SECONDS = 60;

export type WorkerSteps = {
  readonly processes: number;
  /** Steps that a process knows from its settings. */
  readonly steps: number;
  /** Those that no process runs. */
  readonly missing: readonly string[];
};

export async function readWorkerSteps(db: Db): Promise<WorkerSteps> {
  const { rows } = await db.query<{ processes: number; steps: number; missing: string[] }>({
    name: 'worker-steps',
    text: `WITH alive AS (SELECT runs, knows FROM worker_processes
             WHERE seen_at > clock_timestamp() - interval '${SILENT_SECONDS} seconds'),
           known AS (SELECT DISTINCT unnest(knows) AS step FROM alive), run AS (SELECT DISTINCT unnest(runs) AS step FROM alive)
           SELECT (SELECT count(*) FROM alive)::int AS processes, (SELECT count(*) FROM known)::int AS steps,
             ARRAY(SELECT step FROM known WHERE step NOT IN (SELECT step FROM run) ORDER BY step) AS missing`,
    values: [],
  });
  return rows[0] as WorkerSteps;
}
