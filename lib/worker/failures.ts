// Records failing steps for the operator console. A failure to record must never stop a step: the log has the error
// anyway.

import type { Context } from '@/lib/platform/context';
import { errorText } from '@/lib/platform/errors/error-text';

/** Counts a failure of a step. Never throws. */
export async function recordFailure(context: Context, step: string, error: unknown): Promise<void> {
  await queryQuietly(context, {
    name: 'step-failed',
    text: `INSERT INTO step_failures AS f (step, message, failures, since, last_at) VALUES ($1, $2, 1, $3, $3)
           ON CONFLICT (step) DO UPDATE SET message = EXCLUDED.message, last_at = EXCLUDED.last_at, ended_at = NULL,
             failures = CASE WHEN f.ended_at IS NULL THEN f.failures + 1 ELSE 1 END,
             since = CASE WHEN f.ended_at IS NULL THEN f.since ELSE EXCLUDED.since END`,
    values: [step, errorText(error), context.clock.now()],
  });
}

/** Closes the recorded failure of a step that works again. Never throws. */
export const recordSuccess = (context: Context, step: string): Promise<void> =>
  queryQuietly(context, {
    name: 'step-works',
    text: 'UPDATE step_failures SET ended_at = $2 WHERE step = $1 AND ended_at IS NULL',
    values: [step, context.clock.now()],
  });

async function queryQuietly(
  { pool, log }: Context,
  statement: { name: string; text: string; values: unknown[] },
): Promise<void> {
  try {
    await pool.query(statement);
  } catch (error) {
    // An unreachable database is the most likely cause of the step's failure.
    log.debug({ err: error }, 'the state of a step could not be stored');
  }
}
