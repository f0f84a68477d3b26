// Work on a chain that must not overlap: each piece waits for its turn, first come, first served. One chain has one process that
// drives it, so memory is enough. And the beat of a chain that makes blocks though nobody pays.

import { setTimeout as sleep } from 'node:timers/promises';

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Does the work when everything asked for before is done. Work that has its turn must not wait for another. */
  take<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

export type Beat = { readonly stop: () => void };

/** Does the work every so often, counted from its end, until it is stopped. A fault ends the beat and is told, once. */
export function startBeat(everyMs: number, work: () => Promise<unknown>, onFault: (error: Error) => void): Beat {
  let stopped = false;
  const next = async (): Promise<void> => {
    await sleep(everyMs, undefined, { ref: false });
    if (stopped) return;
    await work();
    void next().catch(fail);
  };
  const fail = (error: Error): void => {
    if (!stopped) onFault(error);
  };
  void next().catch(fail);
  return {
    stop: () => {
      stopped = true;
    },
  };
}
