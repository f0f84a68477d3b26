// What an invariant of the database is: a sentence that always holds, and a query that finds what breaks it.

/**
 * `query` has one text column, `breach`: what is wrong, named so that it can be found. `$1`, where it is used, is the minor
 * digits of currencies as JSON.
 */
export type Invariant = {
  /** `INV-2a`: the number in hardening 3.0, with a letter where several queries make up one. */
  readonly id: string;
  /** What always holds. */
  readonly says: string;
  readonly query: string;
};
