// Combines the results of the accounts into one scan. An account that could not be proven keeps its cursor, and the scan says so.

import {
  ChainError,
  type AccountCursor,
  type BlockWindow,
  type FoundTransfer,
  type Scan,
  type Unfinished,
} from '@/lib/networks/chain';
import type { History } from './history';

/** `fault`: the account could not be proven. Neither a fault nor a history: the account was not read or is excluded. */
export type AccountResult = {
  /** Null if no account was read. */
  readonly owner: string | null;
  readonly transfers: readonly FoundTransfer[];
  readonly outgoing: readonly FoundTransfer[];
  readonly history: History | null;
  readonly fault: ChainError | null;
};

export const NOT_READ: AccountResult = { owner: null, transfers: [], outgoing: [], history: null, fault: null };
export const GIVEN_UP: AccountResult = { ...NOT_READ };

/** Combines proven and unproven accounts. Throws if there was something to prove and nothing could be proven. */
export function gather(
  results: readonly AccountResult[],
  { window: { final, onlyOutgoing = false }, left }: { window: BlockWindow; left: number },
): Omit<Scan, 'through'> {
  const faults = results.flatMap(({ fault }) => fault ?? []);
  const throttle = faults.find(({ throttled }) => throttled);
  const [fault] = [...faults.filter((one) => one.fault === 'contradiction'), ...faults];
  const histories = results.flatMap(({ history }) => history ?? []);
  const unprovenOwners = ownersOf(results, ({ fault: one }) => one !== null && !one.throttled);
  const flooded = final || onlyOutgoing ? ownersOf(results, ({ history }) => history?.whole === false) : [];
  if (fault && histories.length === 0) throw throttle ?? withUnproven(fault, unprovenOwners);
  // Account cursors are kept only for final windows.
  const accountCursors = final ? histories.flatMap(({ cursor }): AccountCursor[] => (cursor ? [cursor] : [])) : [];
  const skipped = results.filter((one) => one === NOT_READ).length;
  const unfinished = unfinishedOf({ fault, unprovenOwners, left: left + skipped, throttle });
  return {
    transfers: distinct(
      results.flatMap((one) => one.transfers),
      ({ recipient }) => recipient,
    ),
    outgoing: distinct(
      results.flatMap((one) => one.outgoing),
      ({ payer }) => payer,
    ),
    accountCursors,
    ...(flooded.length > 0 ? { flooded } : {}),
    ...(unfinished ? { unfinished } : {}),
  };
}

/** One transaction may move tokens of several accounts of an owner; its transfer is reported once. */
function distinct(found: readonly FoundTransfer[], ownerOf: (one: FoundTransfer) => string): FoundTransfer[] {
  const all = new Map(found.map((one) => [`${one.transactionHash} ${one.ordinal} ${ownerOf(one)}`, one]));
  return [...all.values()].toSorted(byPlace);
}

const ownersOf = (results: readonly AccountResult[], which: (one: AccountResult) => boolean): string[] => [
  ...new Set(results.filter(which).flatMap(({ owner }) => owner ?? [])),
];

const withUnproven = ({ fault, message, demotes, behind }: ChainError, unprovenOwners: readonly string[]): ChainError =>
  new ChainError(fault, message, { demotes, behind, unprovenOwners });

type Unread = {
  readonly fault: ChainError | undefined;
  readonly unprovenOwners: readonly string[];
  readonly left: number;
  readonly throttle: ChainError | undefined;
};

function unfinishedOf({ fault, unprovenOwners, left, throttle }: Unread): Unfinished | null {
  if (fault) return { fault: fault.fault, message: fault.message, unprovenOwners, ...(throttle ? { throttle } : {}) };
  return left > 0 ? { fault: null, message: `${left} accounts are still to be read`, unprovenOwners } : null;
}

const byPlace = (one: FoundTransfer, other: FoundTransfer): number =>
  one.blockNumber - other.blockNumber ||
  (one.transactionHash === other.transactionHash
    ? one.ordinal - other.ordinal
    : one.transactionHash < other.transactionHash
      ? -1
      : 1);
