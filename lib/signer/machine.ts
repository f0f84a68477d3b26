// Detects a journal that was copied to another machine. The copy would pay refunds twice and hand out deposit addresses
// that the original also hands out. The copy does neither until a person confirms that it is the only one. Pure.

import { macOf } from '@/lib/platform/crypto';
import { INDEX_LIMIT } from '@/lib/treasury/wallets/derivation';
import type { JournalIndex } from './journal/journal-index';
import { TEXT_LIMIT, type Entry } from './journal/record';

export const MOVED = 'the journal was written on another machine';

/** What a person types before a copy signs. */
export const FIRST_HAS_STOPPED = 'the first signer has stopped';

/**
 * More addresses than an installation hands out between copying the journal and using the copy. The skipped indexes are
 * never given again.
 */
const INDEXES_SKIPPED = 1_000_000;

export const machineDigest = (key: Uint8Array, machineId: string): string =>
  macOf(key, ['stabletill machine 1', machineId]).toString('hex');

/** A reason to be frozen with MOVED before it: the person who lifts the one must see the other. */
export const withMoved = (reason: string | null): string =>
  reason === null ? MOVED : reason.includes(MOVED) ? reason : `${MOVED}; ${reason}`.slice(0, TEXT_LIMIT);

/** What remains of a reason after a take-over; null for nothing. */
export const withoutMoved = (reason: string): string | null =>
  reason === MOVED ? null : reason.replace(`${MOVED}; `, '').replace(`; ${MOVED}`, '');

/** `machine` is the digest of this machine's id; null where it has none. */
export const isMoved = ({ machine: written }: JournalIndex, machine: string | null): boolean =>
  machine !== null && written !== null && written !== machine;

/**
 * The entries that record a person's unfreezing of a moved journal: it belongs to this machine, and its indexes
 * continue beyond those that any other copy may have used.
 */
export function unfreezeEntries(index: JournalIndex, machine: string | null): Entry[] {
  if (machine === null || !isMoved(index, machine)) return [];
  const highest = Math.min(index.highestIndex + INDEXES_SKIPPED, INDEX_LIMIT - 1);
  return [
    { kind: 'machine', digest: machine },
    { kind: 'addresses', highest },
  ];
}
