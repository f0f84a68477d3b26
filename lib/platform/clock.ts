// The only source of wall-clock time, so that a test can set it. Unix times are whole seconds unless their name says otherwise.

export type Clock = {
  now(): Date;
  /**
   * Milliseconds that no correction of the wall clock moves. When absent, the wall clock is never corrected, as in most tests.
   */
  monotonic?(): number;
};

/** Linux stops the monotonic clock while the machine sleeps, and a snapshot of the machine's memory contains it. */
export const systemClock: Clock = { now: () => new Date(), monotonic: () => performance.now() };

/** Unix time in whole seconds, rounded down. */
export const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** The Date of a Unix time in seconds. */
export const fromUnixSeconds = (seconds: number): Date => new Date(seconds * 1000);
