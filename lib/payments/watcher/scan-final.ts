// The final pass, which credits transfers. It reads every final block and moves its cursor in the transaction that stores the transfers
// (credit.ts). No other code credits a transfer. It closes a gap window by window and never skips a block.

import { ChainError, type Head, type Scan } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { agreedReach, stepBack } from './cursors/agreed-cursor';
import { openAddressBook, type AddressBook } from './transfers/deposit-addresses';
import { holdCursors, moveFinal, type ChainRow } from './cursors/chain-row';
import { credit } from './transfers/credit';
import { reportForeign } from './transfers/foreign';
import { outgoingTransfers } from './transfers/outgoing';
import type { Pass } from './pass';
import { recordAllRead, recordFlooded, recordUnread } from './accounts/unread';
import { nextWindow, rereadSpan, wholeWindow } from './window';

/** Scans final blocks up to `last` or to the pass's window limit. Throws a ChainError; transfers stored before it stay. */
export async function scanFinal(
  context: Context,
  chain: FollowedChain,
  { row, head, last, pass }: { row: ChainRow; head: Head; last: number; pass: Pass },
): Promise<{ row: ChainRow; more: boolean }> {
  let current = row;
  let unread: ChainError | null = null;
  const reach = await agreedReach(context, chain, { row, head, last });
  for (;;) {
    const span = { after: current.final.number, last: reach.last };
    const window = chain.adapter.readsBlocks ? nextWindow(pass.sizing, span) : wholeWindow(span);
    if (!window) return { row: current, more: false };
    if (!(await pass.next())) {
      // With trouble, `scanned_at` does not move, so the next pass knows when a scan was last complete.
      if (unread) throw unread;
      return { row: current, more: true };
    }
    const book = openAddressBook(context, chain, { row: current, openOnly: false });
    const second = !chain.adapter.readsBlocks && isOtherEndpointFirst(unixSeconds(context.clock.now()));
    const again = chain.adapter.readsBlocks ? rereadSpan(pass.sizing, window, head.tip.number) : null;
    const blocks = { ...window, parentHash: current.final.hash, final: true, second, again, agreed: reach.agreed };
    const noted = { step: stepOf(chain), chainId: row.id, network: chain.network, book };
    const scan = await pass.attempt(blocks, () =>
      chain.adapter.scan(blocks, book.watch).catch(async (error: unknown) => {
        if (error instanceof ChainError)
          await recordUnread(context, noted, row, { owners: error.unprovenOwners, error });
        if (error instanceof ChainError && error.agreed) await stepBack(context, chain, current);
        throw error;
      }),
    );
    if (!scan) continue;
    const { through, unfinished } = scan;
    if (through.number !== window.to)
      throw new ChainError('contradiction', 'the scan ended at another block than requested');
    await recordFlooded(context, noted, scan.flooded ?? []);
    const agreed = reach.agreed?.hash === through.hash;
    if (!(await creditWindow(context, chain, { row: current, scan, book, agreed })))
      return { row: current, more: true };
    const owners = unfinished?.unprovenOwners ?? [];
    unread = unfinished && owners.length > 0 ? new ChainError('unavailable', unfinished.message) : null;
    if (unfinished) await recordUnread(context, noted, row, { owners, error: new Error(unfinished.message) });
    else await recordAllRead(context, noted);
    if (unfinished?.fault) throw new ChainError(unfinished.fault, unfinished.message);
    current = { ...current, rotatedThrough: book.rotatedThrough };
    if (unfinished) continue;
    const final = { number: through.number, hash: through.hash };
    current = { ...current, final, tip: current.tip.number <= final.number ? final : current.tip };
    if (agreed) current = { ...current, agreed: { ...final, time: fromUnixSeconds(through.time) } };
  }
}

const stepOf = ({ environment, network }: FollowedChain): string => `watch ${environment} ${network}`;

/** The length of a slot, and one slot in so many. Both are odd, so that a worker that runs once a minute hits such slots too. */
const SLOT_SECONDS = 7;
const ONE_SLOT_OF = 9;

/**
 * On a network read by account, a scan finds only accounts whose balance an endpoint reports. About every minute another endpoint
 * is tried first, so that an account that one endpoint hides is found before the session ends.
 */
const isOtherEndpointFirst = (now: number): boolean => Math.floor(now / SLOT_SECONDS) % ONE_SLOT_OF === 0;

/**
 * Stores one window. If it could not be read completely, stores the transfers found and leaves the cursors. False, with nothing
 * stored, when another scanner has moved the final cursor.
 */
async function creditWindow(
  context: Context,
  chain: FollowedChain,
  { row, scan, book, agreed }: { row: ChainRow; scan: Scan; book: AddressBook; agreed: boolean },
): Promise<boolean> {
  const { transfers, outgoing = [], accountCursors, through, unfinished } = scan;
  const read = { ...row, rotatedThrough: book.rotatedThrough };
  const own = transfers.filter(({ recipient }) => !book.isForeign(recipient));
  const foreign = transfers.filter(({ recipient }) => book.isForeign(recipient));
  const sent = outgoing.filter(({ payer }) => !book.isForeign(payer));
  // Before the cursor moves: after a crash the window is read again, and reporting twice is harmless.
  await reportForeign(context, chain, row.id, foreign);
  const sessions = await credit(context, chain, {
    step: stepOf(chain),
    chainId: row.id,
    network: chain.network,
    foundTransfers: own.map((found) => ({ ...found, sessionId: book.sessionOf(found.recipient) })),
    outgoing: outgoingTransfers(
      chain.spec,
      row.id,
      sent.map((found) => ({ ...found, sessionId: book.sessionOf(found.payer) })),
    ),
    cursors: accountCursors.map((cursor) => ({ ...cursor, sessionId: book.sessionOf(cursor.owner) })),
    through: unfinished ? null : through.number,
    hold: async (tx) =>
      unfinished ? (await holdCursors(tx, read)) !== null : moveFinal(tx, read, { to: through, agreed }),
  });
  return sessions !== null;
}
