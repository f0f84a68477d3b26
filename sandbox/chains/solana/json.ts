// JSON as nodes write it: one field holds a number that JavaScript cannot represent.

/** 2^64 - 1 as a JavaScript number, and as nodes write it. */
const ROUNDED = /"rentEpoch":18446744073709552000/g;

/** The value as JSON text. Throws for a bigint: amounts are text in this interface, lamports numbers. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value).replace(ROUNDED, '"rentEpoch":18446744073709551615');
