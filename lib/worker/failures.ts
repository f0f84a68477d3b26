// Steps that fail, written down for the operator's desk. Never the reason why a step stops: what cannot be written is in the
// log all the same.

import type { Context } from '@/lib/context';

const LONGEST = 500;

/** Counts a failure of a step. Never throws. */
export async function noteFailure(context: Context, step: string, error: unknown): Promise<void> {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  await quietly(context, {
    name: 'step-failed',
    text: `INSERT INTO step_failures AS f (step, message, failures, since, last_at) VALUES ($1, $2, 1, $3, $3)
           ON CONFLICT (step) DO UPDATE SET message = EXCLUDED.message, last_at = EXCLUDED.last_at, ended_at = NULL,
             failures = CASE WHEN f.ended_at IS NULL THEN f.failures + 1 ELSE 1 END,
             since = CASE WHEN f.ended_at IS NULL THEN f.since ELSE EXCLUDED.since END`,
    values: [step, withoutAddresses(text), context.clock.now()],
  });
}

/** Ends what was written down of a step that works again. Never throws. */
export const noteSuccess = (context: Context, step: string): Promise<void> =>
  quietly(context, {
    name: 'step-works',
    text: 'UPDATE step_failures SET ended_at = $2 WHERE step = $1 AND ended_at IS NULL',
    values: [step, context.clock.now()],
  });

/** Sentences of ours hold no address of an endpoint; those of libraries may, with a key in it. */
const withoutAddresses = (text: string): string =>
  text
    .replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '…')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .slice(0, LONGEST);

async function quietly(
  { pool, log }: Context,
  statement: { name: string; text: string; values: unknown[] },
): Promise<void> {
  try {
    await pool.query(statement);
  } catch (error) {
    // The database is most likely what the step failed for.
    log.debug({ err: error }, 'how a step fares could not be written down');
  }
}
