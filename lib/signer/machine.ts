// Whether the journal is on the machine that it was written on. A copy on another one would pay refunds a second time and give
// deposit addresses that the original gives too, so it does neither until a person says that it is the only one. Pure.

import { macOf } from '@/lib/platform/crypto';
import { INDEX_LIMIT } from '@/lib/treasury/wallets/derivation';
import type { JournalIndex } from './journal/journal-index';
import type { Entry } from './journal/record';

export const MOVED = 'the journal was written on another machine';

/** More than an installation hands out between a copy of the journal and its use: those of the original are never given again. */
const INDEXES_SKIPPED = 1_000_000;

export const machineDigest = (key: Uint8Array, machineId: string): string =>
  macOf(key, ['stabletill machine 1', machineId]).toString('hex');

/** `machine`: digest of this one; null where nothing tells it from others. */
export const isMoved = ({ machine: written }: JournalIndex, machine: string | null): boolean =>
  machine !== null && written !== null && written !== machine;

/** What a person settles by unfreezing a journal that was moved: it belongs here, and continues where no copy of it is. */
export function settledBy(book: JournalIndex, machine: string | null): Entry[] {
  if (machine === null || !isMoved(book, machine)) return [];
  const highest = Math.min(book.highestIndex + INDEXES_SKIPPED, INDEX_LIMIT - 1);
  return [
    { kind: 'machine', digest: machine },
    { kind: 'addresses', highest },
  ];
}
