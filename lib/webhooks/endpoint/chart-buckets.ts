// Where one bucket of the health chart ends and the next begins, by an attempt's duration.

/** Milliseconds. Bucket 0 lies below the first, the last bucket at or above the last: calls that ran into their deadline. */
export const BUCKET_MILLISECONDS = [100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const;
