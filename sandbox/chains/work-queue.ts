// A queue that serializes the work on a chain, in memory, because one process drives a chain. Also the ticker that makes blocks without
// payments.

import { setTimeout as sleep } from 'node:timers/promises';

export class WorkQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs the work when all earlier work is done. Work must not wait for other work of the same queue, or both block forever. */
  take<T>(work: () => T | Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }
}

export type Ticker = { readonly stop: () => void };

/** Runs the work at an interval, counted from its end, until it is stopped. An error ends the loop and is reported once. */
export function startTicker(everyMs: number, work: () => Promise<unknown>, onFault: (error: Error) => void): Ticker {
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
