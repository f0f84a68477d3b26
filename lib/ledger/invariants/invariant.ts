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
