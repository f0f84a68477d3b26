// Stores the outcomes of attempts. Outcomes that arrive during a write go together into the next one, so a burst of
// responses takes one connection and not all of them. An outcome whose delivery was leased again since changes nothing.

import { setTimeout as sleep } from 'node:timers/promises';
import { inHalves } from '@/lib/platform/database/isolate';
import type { Context } from '@/lib/platform/context';
import { isRefusedStatement } from '@/lib/platform/database/db';
import { writeOutcomes, type Ended } from './write-outcomes';

/** Pauses before a failed write is retried; all within the lease. */
const PAUSES_MILLISECONDS = [250, 1000, 4000];
/** With response bodies of 2 kB each this keeps one statement below a megabyte. */
const MAX_AT_ONCE = 400;

/**
 * A function that resolves when an outcome is stored. Rejects when the database refuses it or several tries failed. The
 * delivery's lease then runs out and it is attempted again. An outcome that the database refuses does not block the
 * others.
 */
export function openOutcomes(context: Pick<Context, 'pool' | 'clock'>): (ended: Ended) => Promise<void> {
  let waiting: Ended[] = [];
  /** The write that begins when the current one has ended. It takes all outcomes that wait by then. */
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

/** Outcomes that the database refuses even individually, and why. */
type Refused = ReadonlyMap<Ended, unknown>;

async function writeAll(context: Pick<Context, 'pool' | 'clock'>, batch: readonly Ended[]): Promise<Refused> {
  const refused = new Map<Ended, unknown>();
  for (let from = 0; from < batch.length; from += MAX_AT_ONCE) {
    const part = batch.slice(from, from + MAX_AT_ONCE);
    if (await writePersistently(context, part)) continue;
    const { failed } = await inHalves(part, (some) => writeOutcomes(context, some));
    for (const { item, error } of failed) refused.set(item, error);
  }
  return refused;
}

/**
 * False when the database refuses the batch because of its content. Repeating the statement is harmless: it changes
 * only rows that are still as this process left them.
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
      await sleep(pause);
    }
  }
}
