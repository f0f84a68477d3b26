// The only source of wall-clock time, so that a test can set it. Unix times here are whole seconds unless named otherwise.

export type Clock = { now(): Date };

export const systemClock: Clock = { now: () => new Date() };

/** Unix time in whole seconds, rounded down. */
export const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** The moment of a Unix time in seconds. */
export const fromUnixSeconds = (seconds: number): Date => new Date(seconds * 1000);
