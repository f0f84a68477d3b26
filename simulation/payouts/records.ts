// What owners did about payouts, beside the database: the addresses of their stores, and the payouts that they requested.

import { NO_SCHEDULES, type ScheduleRecords } from './schedules';

/**
 * A time in which an address could be paid, as far as its owner knows. `from` and `until` are numbers of calls of the signer, because the
 * clock of a history can go back. A restored database begins new ones: it knows neither later addresses nor later stops.
 */
type AddressPeriod = {
  readonly id: string;
  readonly storeId: string;
  readonly network: string;
  readonly address: string;
  /** Unix milliseconds. */
  readonly addedAt: number;
  readonly from: number;
  until: number | null;
};

export type RequestedPayout = {
  readonly id: string;
  readonly storeId: string;
  /** The owner's name for it. */
  readonly payoutId: string;
  readonly network: string;
  readonly currency: string;
  readonly cents: bigint;
};

export type PayoutRecords = {
  readonly addresses: AddressPeriod[];
  readonly requested: RequestedPayout[];
  /** How many names each store has used. It never uses one again, also when the database has forgotten it. */
  readonly numbers: Map<string, number>;
  /** The schedules and reserves that are set now. */
  rules: ScheduleRecords;
};

export const emptyPayoutRecords = (): PayoutRecords => ({
  ...{ addresses: [], requested: [], numbers: new Map(), rules: NO_SCHEDULES },
});

export const isInUse = ({ until }: AddressPeriod): boolean => until === null;

/** The addresses in use of a store on a network. */
export const addressesInUse = (
  { addresses }: PayoutRecords,
  { storeId, network }: { readonly storeId: string; readonly network: string },
): readonly AddressPeriod[] =>
  addresses.filter((one) => isInUse(one) && one.storeId === storeId && one.network === network);

/** A backup has the addresses that are in use. */
export const keptAddresses = ({ addresses }: PayoutRecords): readonly AddressPeriod[] =>
  addresses.filter(isInUse).map((one) => ({ ...one }));

export function restoreAddresses({ addresses }: PayoutRecords, kept: readonly AddressPeriod[], calls: number): void {
  for (const one of addresses) one.until ??= calls;
  addresses.push(...kept.map((one) => ({ ...one, from: calls, until: null })));
}

export function nextPayoutId({ numbers }: PayoutRecords, storeId: string): string {
  const number = (numbers.get(storeId) ?? 0) + 1;
  numbers.set(storeId, number);
  return `payout-${number}`;
}
