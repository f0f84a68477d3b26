// How a process of this service ends: on SIGTERM or SIGINT, or, under a supervisor, when the supervisor is gone.

import { setMaxListeners } from 'node:events';

/**
 * Aborts when the process must end. With `withParent` it also aborts when standard input ends, which the supervisor holds open.
 */
export function stopSignal(withParent: boolean): AbortSignal {
  const controller = new AbortController();
  // Each loop of the worker adds a listener.
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
