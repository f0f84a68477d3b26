// The order of statements that the product runs in parallel. On a busy machine their connections would decide it, and the same
// seed would give another history.

/** Longer than any statement of a history that does not wait for a lock. Real milliseconds. */
const PATIENCE = 400;

/**
 * Runs each piece of work when the one before has ended, and resolves to its result. One that takes longer than `patience` waits
 * for a lock: it lets the others pass, because one of them releases the lock.
 */
export function openTurns(patience = PATIENCE): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const own = last.then(work);
    let timer: NodeJS.Timeout | undefined;
    const isTooLong = last.then(() => new Promise((resolve) => (timer = setTimeout(resolve, patience))));
    const stop = (): void => clearTimeout(timer);
    last = Promise.race([own.then(stop, stop), isTooLong]);
    return own;
  };
}
