// Steps that read a network for the whole installation, and that a second worker would only repeat: one process at a time runs each of them.
// A turn is a lease in the database, by its clock. It holds as long as the row that its process has under its own id, so that one row is
// renewed for all turns of a process. Turns save requests to endpoints and nothing depends on them: two processes that run such a step at the
// same time do no harm, so a long run needs no renewal.

import os from 'node:os';
import { SILENT_SECONDS } from '@/lib/installation/status/worker-steps';
import type { Clock } from '@/lib/platform/clock';
import { isDatabaseAway } from '@/lib/platform/database/away';
import { sqlState, type Pool } from '@/lib/platform/database/db';
import type { NamedStep } from '../named-step';

/** How often a process renews its turns and looks for free ones: one statement for all steps. */
const REFRESH_MILLISECONDS = 10_000;
/** A process that is silent for this long loses its turns. */
const HELD_SECONDS = 20;
/** How long a process leaves a step to others that failed here: its own endpoints may be unreachable. */
const REST_MILLISECONDS = 30_000;
/** A run that lasts longer hangs, and no longer keeps the step from other processes. Requests to endpoints end within seconds. */
const HANGING_MILLISECONDS = 120_000;

/** The row of a process that died without a word is deleted after this. */
const FORGOTTEN_HOURS = 1;

/** Beginnings of names. The watcher, refunds and reconciliation have leases of their own. */
const SHARED = ['guard the wallets ', 'own wallets ', 'balances ', 'sweep ', 'endpoints of '];
export const hasTurns = ({ name }: NamedStep): boolean => SHARED.some((start) => name.startsWith(start));

export type Turns = {
  /** The step as this process runs it: not at all while it is another one's turn. */
  readonly share: (step: NamedStep) => NamedStep;
  /** Renews the turns, whichever steps run in the meantime. */
  readonly renewal: NamedStep;
  /** Gives all turns up. */
  readonly end: () => Promise<void>;
};

type Place = { readonly host: string; readonly pid: number };

/** Whether another process holds the turn `t` and has stopped renewing it, or has ended on this machine. */
const IS_FREE = `(t.holder <> $2::uuid AND (t.host = $3 AND t.pid = ANY ($5::int[]) OR t.held_until <= clock_timestamp()
  AND NOT EXISTS (SELECT FROM step_turns p WHERE p.step = t.holder::text AND p.held_until > clock_timestamp())))`;
const HELD_UNTIL = `clock_timestamp() + interval '${HELD_SECONDS} seconds'`;
/**
 * Renews this process, takes the free turns among $1 and gives up all others. Returns the turns that it holds. Rows are locked in the
 * order of their names, which prevents deadlocks. Turns that the process holds already are not written.
 */
const TAKE = `WITH renewed AS (
    INSERT INTO step_turns (step, holder, held_until, host, pid) VALUES ($2::uuid::text, $2::uuid, ${HELD_UNTIL}, $3, $4)
    ON CONFLICT (step) DO UPDATE SET held_until = EXCLUDED.held_until),
  given_up AS (DELETE FROM step_turns WHERE (holder = $2::uuid AND step <> $2::uuid::text AND step <> ALL ($1::text[]))
    OR (step = holder::text AND held_until < clock_timestamp() - interval '${FORGOTTEN_HOURS} hours')),
  taken AS (
    INSERT INTO step_turns AS t (step, holder, held_until, host, pid)
    SELECT name, $2::uuid, ${HELD_UNTIL}, $3, $4 FROM unnest($1::text[]) AS name
    WHERE NOT EXISTS (SELECT FROM step_turns t WHERE t.step = name AND NOT ${IS_FREE}) ORDER BY name
    ON CONFLICT (step) DO UPDATE
      SET holder = EXCLUDED.holder, held_until = EXCLUDED.held_until, host = EXCLUDED.host, pid = EXCLUDED.pid WHERE ${IS_FREE}
    RETURNING step)
  SELECT step FROM taken UNION ALL SELECT step FROM step_turns WHERE holder = $2::uuid AND step = ANY ($1::text[])`;

/** `id`: of this process. `place`: where it runs. */
export function openTurns(
  { pool, clock }: { readonly pool: Pool; readonly clock: Clock },
  id: string,
  { host, pid }: Place = { host: os.hostname(), pid: process.pid },
): Turns {
  const names = new Set<string>();
  const resting = new Map<string, number>();
  /** When the present run of a step began. */
  const began = new Map<string, number>();
  let held: ReadonlySet<string> = new Set();
  let refreshedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<void> | null = null;

  /** Processes of this machine that hold turns and are gone: a worker that is started again goes on at once. */
  const goneHere = async (): Promise<number[]> => {
    const text = 'SELECT DISTINCT pid FROM step_turns WHERE host = $1 AND pid IS NOT NULL';
    const { rows } = await pool.query<{ pid: number }>({ name: 'turns-here', text, values: [host] });
    return rows.flatMap((one) => (one.pid === pid || !isRunning(one.pid) ? [one.pid] : []));
  };
  const refresh = async (): Promise<void> => {
    const gone = refreshedAt === Number.NEGATIVE_INFINITY ? await goneHere() : [];
    const now = clock.now().getTime();
    const isResting = (name: string): boolean => Math.abs(now - (resting.get(name) ?? -Infinity)) < REST_MILLISECONDS;
    const isHanging = (name: string): boolean => now - (began.get(name) ?? now) >= HANGING_MILLISECONDS;
    const wanted = [...names].filter((name) => !isResting(name) && !isHanging(name));
    const { rows } = await pool.query<{ step: string }>({
      name: 'turns-take',
      text: TAKE,
      values: [wanted, id, host, pid, gone],
    });
    held = new Set(rows.map(({ step }) => step));
    refreshedAt = now;
  };
  const refreshAfter = async (milliseconds: number): Promise<void> => {
    if (Math.abs(clock.now().getTime() - refreshedAt) < milliseconds) return;
    refreshing ??= refresh().finally(() => (refreshing = null));
    await refreshing;
  };
  const isMine = async (name: string): Promise<boolean> => {
    await refreshAfter(REFRESH_MILLISECONDS);
    return held.has(name);
  };
  /** Leaves the step to another process that runs it. Without one it stays here: a guard that waits guards nothing. */
  const giveUp = async (name: string): Promise<void> => {
    const { rowCount } = await pool.query({
      name: 'turn-give-up',
      text: `DELETE FROM step_turns WHERE holder = $1::uuid AND step = $2 AND EXISTS (SELECT FROM worker_processes w
               WHERE w.id <> $1::uuid AND $2 = ANY (w.runs) AND w.seen_at > clock_timestamp() - interval '${SILENT_SECONDS} seconds')`,
      values: [id, name],
    });
    if (!rowCount) return;
    resting.set(name, clock.now().getTime());
    held = new Set([...held].filter((one) => one !== name));
  };
  const share = (step: NamedStep): NamedStep => {
    names.add(step.name);
    const run: NamedStep['run'] = async (context) => {
      if (!(await isMine(step.name))) return { more: false, skipped: true };
      began.set(step.name, clock.now().getTime());
      try {
        return await step.run(context);
      } catch (error) {
        // The failure that is reported is the step's own. While the database is away, the turn stays: it is away for all processes.
        if (!isDatabaseAway(error, sqlState(error))) await giveUp(step.name).catch(() => {});
        throw error;
      } finally {
        began.delete(step.name);
      }
    };
    return { ...step, run };
  };
  const end = async (): Promise<void> => {
    held = new Set();
    const text = 'DELETE FROM step_turns WHERE holder = $1::uuid';
    await pool.query({ name: 'turns-end', text, values: [id] }).catch(() => {});
  };
  const renewal: NamedStep = {
    name: 'renew turns',
    run: async () => {
      // Half of the pause, so that turns that a step has just renewed are renewed before they end.
      if (names.size > 0) await refreshAfter(REFRESH_MILLISECONDS / 2);
      return { more: false };
    },
    everyMilliseconds: REFRESH_MILLISECONDS,
    quietMilliseconds: REFRESH_MILLISECONDS,
  };
  return { share, renewal, end };
}

/** Whether a process of this machine runs. One that may not be signaled does. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
