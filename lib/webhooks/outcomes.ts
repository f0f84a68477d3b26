// Writing down how attempts ended. Outcomes that arrive while a write is under way go together in the next one, so that a burst
// of answers takes one connection and not all of them. An outcome whose delivery was taken over since changes nothing.

import type { Context } from '@/lib/context';
import { next, type Outcome } from './schedule';

/** An attempt that has ended. `endedAt` is the moment from which its retry counts. */
export type Ended = {
  readonly id: string;
  readonly epoch: number;
  readonly attempts: number;
  readonly outcome: Outcome;
  readonly endedAt: Date;
};

/** Pauses before a write that failed is tried again; all within the lease. */
const PAUSES_MILLISECONDS = [250, 1000, 4000];
/** Answers of 2 kB each: keeps one statement below a megabyte. */
const MOST_AT_ONCE = 400;

const WRITE = {
  name: 'write-outcomes',
  text: `
    WITH outcome AS (
      SELECT * FROM unnest($1::bigint[], $2::int[], $3::"DeliveryStatus"[], $4::float8[], $5::int[], $6::text[], $7::text[])
        AS o(id, epoch, status, retry_after, status_code, error, answer)),
    written AS (
      UPDATE deliveries d SET
        status = o.status,
        next_at = CASE WHEN o.status = 'pending' THEN now() + make_interval(secs => o.retry_after) ELSE d.next_at END,
        finished_at = CASE WHEN o.status <> 'pending' THEN now() END
      FROM outcome o WHERE d.id = o.id AND d.epoch = o.epoch AND d.status = 'pending'
      RETURNING d.id, d.attempts, o.status_code, o.error, o.answer)
    UPDATE delivery_attempts a SET finished_at = now(), status_code = w.status_code, error = w.error, answer = w.answer
    FROM written w WHERE a.delivery_id = w.id AND a.number = w.attempts`,
};

/**
 * A function that resolves when an outcome is written. Rejects when the database took none of several tries; then the
 * delivery's lease runs out and it is attempted again.
 */
export function openOutcomes(context: Pick<Context, 'pool' | 'clock'>): (ended: Ended) => Promise<void> {
  let waiting: Ended[] = [];
  /** The write that is to begin when the present one has ended; it takes all that wait by then. */
  let coming: Promise<void> | null = null;
  let present: Promise<unknown> = Promise.resolve();

  return (ended) => {
    waiting.push(ended);
    if (coming) return coming;
    const mine = present.then(() => {
      const batch = waiting;
      [waiting, coming] = [[], null];
      return writeAll(context, batch);
    });
    coming = mine;
    present = mine.catch(() => {});
    return mine;
  };
}

async function writeAll(context: Pick<Context, 'pool' | 'clock'>, batch: readonly Ended[]): Promise<void> {
  for (let from = 0; from < batch.length; from += MOST_AT_ONCE) {
    await writePersistently(context, batch.slice(from, from + MOST_AT_ONCE));
  }
}

/** Repeating the statement does no harm: it changes only what is still as this process left it. */
async function writePersistently(context: Pick<Context, 'pool' | 'clock'>, batch: readonly Ended[]): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await write(context, batch);
      return;
    } catch (error) {
      const pause = PAUSES_MILLISECONDS[tries];
      if (pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

async function write({ pool, clock }: Pick<Context, 'pool' | 'clock'>, batch: readonly Ended[]): Promise<void> {
  const now = clock.now().getTime();
  const rows = batch.map(({ id, epoch, attempts, outcome, endedAt }) => {
    const after = next(attempts, outcome);
    const passed = (now - endedAt.getTime()) / 1000;
    const retryAfter = after.status === 'pending' ? Math.max(0, after.retryAfterSeconds - passed) : null;
    return [id, epoch, after.status, retryAfter, ...shown(outcome)];
  });
  const values = [0, 1, 2, 3, 4, 5, 6].map((column) => rows.map((row) => row[column]));
  await pool.query({ ...WRITE, values });
}

/** Status code, error and answer as the attempt's row keeps them. */
function shown(outcome: Outcome): [number | null, string | null, string | null] {
  switch (outcome.kind) {
    case 'answered':
      return [outcome.status, null, outcome.answer];
    case 'timeout':
      return [null, 'TIMEOUT', null];
    case 'unreachable':
    case 'refused':
      return [null, outcome.error, null];
  }
  return outcome satisfies never;
}
