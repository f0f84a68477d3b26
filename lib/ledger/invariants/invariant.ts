// An invariant of the database: a sentence that always holds, and a query that finds violations.

/**
 * `query` has one text column, `violation`, which describes and locates the violation. `$1`, where it is used, is the
 * minor digits of currencies as JSON.
 */
export type Invariant = {
  /** `INV-2a`: the invariant's number, with a letter where several queries make up one invariant. */
  readonly id: string;
  /** What always holds. */
  readonly statement: string;
  readonly query: string;
};

/** SQL: whether events of this time may have gone into an archive (lib/installation/retention), which takes the oldest month first. */
export const mayBeArchived = (at: string): string =>
  `EXISTS (SELECT FROM archives a WHERE a.source = 'events' AND a.month + interval '1 month' > ${at})`;
