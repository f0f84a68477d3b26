// Writing down how attempts ended. Outcomes that arrive while a write is under way go together in the next one, so that a burst
// of answers takes one connection and not all of them. An outcome whose delivery was taken over since changes nothing.

import type { Context } from '@/lib/context';
import { writeOutcomes, type Ended } from './write-outcomes';

/** Pauses before a write that failed is tried again; all within the lease. */
const PAUSES_MILLISECONDS = [250, 1000, 4000];
/** Answers of 2 kB each: keeps one statement below a megabyte. */
const MOST_AT_ONCE = 400;

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
      await writeOutcomes(context, batch);
      return;
    } catch (error) {
      const pause = PAUSES_MILLISECONDS[tries];
      if (pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
