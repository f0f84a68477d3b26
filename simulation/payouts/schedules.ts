// The payout schedules and refund reserves that owners have set, beside the database.

/** `least` in cents. */
export type SimulatedSchedule = { readonly interval: 'daily' | 'threshold'; readonly least: bigint };

export type ScheduleRecords = {
  /** By `assetKey`. */
  readonly schedules: ReadonlyMap<string, SimulatedSchedule>;
  /** In cents, by `assetKey`. */
  readonly reserves: ReadonlyMap<string, bigint>;
};

export const NO_SCHEDULES: ScheduleRecords = { schedules: new Map(), reserves: new Map() };

export const assetKey = (of: {
  readonly storeId: string;
  readonly network: string;
  readonly currency: string;
}): string => [of.storeId, of.network, of.currency].join(' ');

/** The names of payouts that a schedule requests begin so, and no others. */
export const isScheduled = (payoutId: string): boolean => payoutId.startsWith('scheduled_');

/** A copy with one entry changed; null removes it. */
export function changed<T>(all: ReadonlyMap<string, T>, key: string, value: T | null): ReadonlyMap<string, T> {
  const copy = new Map(all);
  if (value === null) copy.delete(key);
  else copy.set(key, value);
  return copy;
}
