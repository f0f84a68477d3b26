// Writing down how attempts ended. Outcomes that arrive while a write is under way go together in the next one, so that a burst
// of answers takes one connection and not all of them. An outcome whose delivery was taken over since changes nothing.

import { inHalves } from '@/lib/platform/database/isolate';
import type { Context } from '@/lib/platform/context';
import { isRefusedStatement } from '@/lib/platform/database/db';
import { writeOutcomes, type Ended } from './write-outcomes';

/** Pauses before a write that failed is tried again; all within the lease. */
const PAUSES_MILLISECONDS = [250, 1000, 4000];
/** Answers of 2 kB each: keeps one statement below a megabyte. */
const MOST_AT_ONCE = 400;

/**
 * A function that resolves when an outcome is written. Rejects when the database refuses it, or took none of several tries;
 * then the delivery's lease runs out and it is attempted again. What the database refuses keeps no other outcome unwritten.
 */
export function openOutcomes(context: Pick<Context, 'pool' | 'clock'>): (ended: Ended) => Promise<void> {
  let waiting: Ended[] = [];
  /** The write that is to begin when the present one has ended; it takes all that wait by then. */
  let coming: Promise<Refused> | null = null;
  let present: Promise<unknown> = Promise.resolve();

  const next = (): Promise<Refused> =>
    present.then(() => {
      const batch = waiting;
      [waiting, coming] = [[], null];
      return writeAll(context, batch);
    });

  return async (ended) => {
    waiting.push(ended);
    const mine = (coming ??= next());
    present = mine.catch(() => {});
    const refused = await mine;
    if (refused.has(ended)) throw refused.get(ended);
  };
}

/** Outcomes that the database refuses even by themselves, and why. */
type Refused = ReadonlyMap<Ended, unknown>;

async function writeAll(context: Pick<Context, 'pool' | 'clock'>, batch: readonly Ended[]): Promise<Refused> {
  const refused = new Map<Ended, unknown>();
  for (let from = 0; from < batch.length; from += MOST_AT_ONCE) {
    const part = batch.slice(from, from + MOST_AT_ONCE);
    if (await writePersistently(context, part)) continue;
    const { failed } = await inHalves(part, (some) => writeOutcomes(context, some));
    for (const { item, error } of failed) refused.set(item, error);
  }
  return refused;
}

/**
 * False when the database refuses the batch for what is in it. Repeating the statement does no harm: it changes only what is
 * still as this process left it.
 */
async function writePersistently(context: Pick<Context, 'pool' | 'clock'>, batch: readonly Ended[]): Promise<boolean> {
  for (let tries = 0; ; tries++) {
    try {
      await writeOutcomes(context, batch);
      return true;
    } catch (error) {
      if (isRefusedStatement(error)) return false;
      const pause = PAUSES_MILLISECONDS[tries];
      if (pause === undefined) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
