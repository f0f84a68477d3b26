// How a process of this service ends: asked by SIGTERM or SIGINT, or, under a supervisor, when the supervisor is gone.

import { setMaxListeners } from 'node:events';

/** Aborted when the process is to end. With `withParent` also when standard input ends, which the supervisor holds open. */
export function stopSignal(withParent: boolean): AbortSignal {
  const controller = new AbortController();
  // Each of the worker's loops waits for it.
  setMaxListeners(0, controller.signal);
  const stop = () => controller.abort();
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  if (withParent) process.stdin.resume().once('end', stop).once('close', stop);
  return controller.signal;
}

/** Resolves when the signal is aborted. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
