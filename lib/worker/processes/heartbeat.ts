// The step that every worker process runs: it records that the process runs and which steps, and it logs when no process runs a step.

import os from 'node:os';
import { readWorkerSteps } from '@/lib/installation/status/worker-steps';
import type { Context } from '@/lib/platform/context';
import type { NamedStep } from '../named-step';

/** A process that is silent for four times as long counts as ended (lib/installation/status/worker-steps). */
const EVERY_MILLISECONDS = 15_000;
/** Steps that no process runs are looked for in every fourth run. */
const LOOK_EVERY = 4;
/** A process that ended without a word is forgotten after this. */
const FORGOTTEN_HOURS = 1;

export type OfProcess = {
  readonly id: string;
  /** Names of steps: those that it runs, and all of its settings. */
  readonly runs: readonly string[];
  readonly knows: readonly string[];
};

/** The step. */
export function heartbeat({ id, runs: own, knows }: OfProcess): NamedStep {
  let told = '';
  let runs = 0;
  const run = async ({ pool, clock, log }: Context): Promise<{ more: boolean }> => {
    await pool.query({
      name: 'worker-seen',
      text: `WITH gone AS (DELETE FROM worker_processes WHERE seen_at < clock_timestamp() - interval '${FORGOTTEN_HOURS} hours'),
               seen AS (UPDATE worker_processes SET seen_at = clock_timestamp() WHERE id = $1::uuid RETURNING id)
             INSERT INTO worker_processes (id, host, runs, knows, started_at, seen_at)
             SELECT $1::uuid, $2, $3, $4, $5, clock_timestamp() WHERE NOT EXISTS (SELECT FROM seen)
             ON CONFLICT DO NOTHING`,
      values: [id, os.hostname(), own, knows, clock.now()],
    });
    if (runs++ % LOOK_EVERY !== 0) return { more: false };
    const { missing } = await readWorkerSteps(pool);
    const now = missing.join(', ');
    if (now !== told && now !== '') log.warn({ steps: missing }, 'no worker process runs these steps (WORKER_STEPS)');
    told = now;
    return { more: false };
  };
  return {
    name: 'register this worker',
    run,
    everyMilliseconds: EVERY_MILLISECONDS,
    quietMilliseconds: EVERY_MILLISECONDS,
  };
}

/** At the end of a process, so that it is not missed for a minute. Never throws. */
export async function endHeartbeat({ pool, log }: Context, id: string): Promise<void> {
  try {
    await pool.query({ name: 'worker-gone', text: 'DELETE FROM worker_processes WHERE id = $1', values: [id] });
  } catch (error) {
    log.debug({ err: error }, 'the end of this worker could not be stored');
  }
}
