// Whether an amount that an event announces can have arrived: it is what some of the transfers to the session's addresses come to,
// in whole cents. The audit need not know which of them had been read when the event was recorded.

/** More transfers than this to one session are not tried out. */
const MOST = 14;

/** `amounts`: of the transfers to a session, in parts of a cent of which `centOf` make one. */
export function isSumOfSome(cents: bigint, amounts: readonly bigint[], centOf: bigint): boolean {
  if (amounts.length > MOST) return true;
  let sums = new Set([0n]);
  for (const amount of amounts) sums = new Set([...sums, ...[...sums].map((sum) => sum + amount)]);
  return [...sums].some((sum) => sum / centOf === cents);
}
