// Addresses whose token accounts cannot be read, on a network read by account. They block the cursor, so that no session expires before it
// was read. After half a minute without a complete scan they are quarantined: the cursor moves on without them, only their own sessions do
// not expire, and the quarantine retries them with backoff. A flooded account is quarantined at once and does not block the cursor.

import type { Context } from '@/lib/platform/context';
import { endQuarantine, quarantine } from '@/lib/platform/database/quarantine';
import type { AddressBook } from '@/lib/payments/watcher/transfers/deposit-addresses';
import type { ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { accountId, accountSubject } from '@/lib/payments/watcher/transfers/quarantined';

/** Lagging endpoints list a transaction within seconds. A network that is not read for a minute is no longer offered. */
const UNREAD_TIMEOUT_MS = 30_000;
/** Each retry of a flooded account costs up to 150 requests, and a flood does not end by itself. */
const LONGEST_PAUSE_OF_FLOODED = 86_400;
const FLOODED =
  'A token account of this address is flooded: it has more new transactions than are read at once. Payments among the newest ' +
  'are credited. The others are read later; a balance that they leave unexplained is reported as a discrepancy.';

export type RecordedScan = {
  readonly step: string;
  readonly chainId: number;
  readonly network: string;
  readonly book: AddressBook;
};

/** Records that a scan could not read these addresses. */
export async function recordUnread(
  context: Context,
  { step, chainId, network, book }: RecordedScan,
  { trouble, scannedAt }: Pick<ChainRow, 'trouble' | 'scannedAt'>,
  { owners, error }: { readonly owners: readonly string[]; readonly error: Error },
): Promise<void> {
  // An unread address is trouble, and a pass with trouble does not move `scanned_at`, in any process.
  const isWithinTimeout = trouble === null || context.clock.now().getTime() - scannedAt.getTime() < UNREAD_TIMEOUT_MS;
  for (const owner of owners) {
    if (isWithinTimeout && !book.quarantined.has(owner)) continue;
    const subject = accountSubject({ chainId, network }, { owner, sessionId: book.sessionOf(owner) });
    await quarantine({ ...context, db: context.pool }, step, subject, error);
  }
}

/**
 * Records addresses with accounts that have more new transactions than a scan reads. Call it before the cursor moves; recordAllRead
 * does not end their quarantine, because they are not due then.
 */
export async function recordFlooded(
  context: Context,
  { step, chainId, network, book }: RecordedScan,
  owners: readonly string[],
): Promise<void> {
  for (const owner of owners) {
    const subject = accountSubject({ chainId, network }, { owner, sessionId: book.sessionOf(owner) });
    const slow = { ...subject, longestPauseSeconds: LONGEST_PAUSE_OF_FLOODED };
    await quarantine({ ...context, db: context.pool }, step, slow, new Error(FLOODED));
  }
}

/** Records that a scan read every requested address, and that its transfers are stored. */
export async function recordAllRead(context: Context, { chainId, book }: RecordedScan): Promise<void> {
  const ids = [...book.quarantined].map((owner) => accountId(chainId, owner));
  await endQuarantine(context.pool, { kind: 'account', ids, now: context.clock.now(), isDueOnly: true });
}
