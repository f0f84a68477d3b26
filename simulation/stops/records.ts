// What stops payments in a history, as its people know it: the sanctions list that the operator loaded last, whether the screening
// answers, and the pauses of payments. A restored database has an older list and the pauses of its time.

export type Paused = 'refunds' | 'payouts' | 'cold_transfers';

export type StopRecords = {
  /** The operator has switched the screening on. */
  isScreening: boolean;
  /** Addresses of the list that is loaded, in stored form; null before the first one. */
  listed: ReadonlySet<string> | null;
  /** Those that any list or the hook named. */
  readonly everNamed: Set<string>;
  /** The date of the newest list, in Unix milliseconds. */
  listedAt: number;
  /** The screenings, by `screeningKey`, with a hit that is not released, and those without an answer, after the last of the steps and people that change them. */
  hits: ReadonlySet<string>;
  unknown: ReadonlySet<string>;
  /** A worker stands still in the middle of its work. It may sign what it has checked before, so answers that come meanwhile count later. */
  isStanding: boolean;
  /** By `pauseKey`. */
  paused: ReadonlySet<string>;
  /** What was wrong with a quarantine, or with a balance that an owner was shown. */
  readonly broken: string[];
};

export const emptyStops = (): StopRecords => ({
  ...{ isScreening: false, isStanding: false, listed: null, everNamed: new Set<string>(), listedAt: 0 },
  ...{ hits: new Set<string>(), unknown: new Set<string>(), paused: new Set<string>(), broken: [] },
});

type Screened = {
  readonly role: 'sender' | 'payee';
  readonly network: string;
  readonly address: string;
  /** The transaction of a sender; empty for a payee. */
  readonly hash: string;
};

export const screeningKey = ({ role, network, address, hash }: Screened): string =>
  [role, network, address, hash].join(' ');

export const pauseKey = (kind: Paused, network: string): string => `${kind} ${network}`;

/** What a backup of the database has of it. */
export type KeptStops = Pick<StopRecords, 'listed' | 'paused'>;

export const keptStops = ({ listed, paused }: StopRecords): KeptStops => ({ listed, paused });

export const restoreStops = (records: StopRecords, kept: KeptStops): void => void Object.assign(records, kept);
