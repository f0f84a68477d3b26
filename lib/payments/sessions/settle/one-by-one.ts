// Settles sessions one by one, each in its own transaction: after a batch failed, and again for quarantined sessions until they
// succeed. Settling derives from stored facts, so a retry is always safe.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { eachAlone } from '@/lib/platform/database/quarantine';
import { holdSecondsAt } from '@/lib/payments/sessions/expire/heartbeat';
import { settleSessions } from './settle';

/** Sessions retried in one run. */
const MAX_AT_ONCE = 50;
/** One worker at a time retries a session; a worker that is silent for longer is considered dead. */
const LEASE_SECONDS = 60;

/** Settles each session in its own transaction and quarantines those that throw. Returns the number of closed sessions. */
export async function settleOneByOne(context: Context, step: string, ids: readonly string[]): Promise<number> {
  let closed = 0;
  const subjects = ids.map((id) => ({ kind: 'session', id }) as const);
  await eachAlone(context, step, subjects, async ({ id }) => {
    closed += await settleOne(context, id);
  });
  return closed;
}

/** A step of the worker: settles the quarantined sessions that are due. */
export async function settleQuarantined(context: Context): Promise<{ more: boolean }> {
  const { rows } = await context.pool.query<{ subject_id: string; step: string }>({
    name: 'sessions-quarantined',
    text: `UPDATE quarantine SET next_run_at = $1::timestamptz + interval '${LEASE_SECONDS} seconds'
           WHERE id IN (SELECT id FROM quarantine WHERE kind = 'session' AND resolved_at IS NULL AND next_run_at <= $1
                        ORDER BY next_run_at LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED) RETURNING subject_id, step`,
    values: [context.clock.now()],
  });
  for (const { subject_id: id, step } of rows) await settleOneByOne(context, step, [id]);
  return { more: rows.length === MAX_AT_ONCE };
}

async function settleOne(context: Context, id: string): Promise<number> {
  const { pool, clock, log } = context;
  const now = clock.now();
  const holdSeconds = await holdSecondsAt(context, now);
  return transaction(pool, async (tx) => {
    const epoch = await epochOf(tx, id);
    const closed = await settleSessions(tx, [id], { now, log, holdSeconds });
    if (epoch !== null) await resolve(tx, id, epoch, now);
    return closed;
  });
}

async function epochOf(tx: Tx, id: string): Promise<number | null> {
  const { rows } = await tx.query<{ epoch: number }>({
    name: 'session-quarantine-epoch',
    text: `SELECT epoch FROM quarantine WHERE kind = 'session' AND subject_id = $1 AND resolved_at IS NULL`,
    values: [id],
  });
  return rows[0]?.epoch ?? null;
}

/** Only if the epoch is unchanged. A new epoch means that transfers were stored since, perhaps after this settling. */
async function resolve(tx: Tx, id: string, epoch: number, now: Date): Promise<void> {
  await tx.query({
    name: 'session-quarantine-resolve',
    text: `UPDATE quarantine SET resolved_at = $3 WHERE kind = 'session' AND subject_id = $1 AND epoch = $2`,
    values: [id, epoch, now],
  });
}
