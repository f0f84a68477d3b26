// The bucket limits of the health chart, by the duration of an attempt.

/** Milliseconds. Bucket 0 lies below the first, the last bucket at or above the last: calls that ran into their deadline. */
export const BUCKET_MILLISECONDS = [100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const;
