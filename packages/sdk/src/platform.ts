// The platform's time, waiting and randomness in one place.

export type Platform = {
  /** Resolves after the given milliseconds; throws the signal's reason if the signal aborts first. */
  readonly wait: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  /** A number in [0, 1). */
  readonly chance: () => number;
};

/** Unix milliseconds. */
export const machineTime = (): number => Date.now();

export const PLATFORM: Platform = {
  wait: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', end);
        resolve();
      }, milliseconds);
      signal?.addEventListener('abort', end, { once: true });
      if (signal?.aborted) end();
    }),
  chance: () => (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32,
};
