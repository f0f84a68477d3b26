// The tip pass, which shows a payment within seconds. It stores unconfirmed transfers, which are for display and never credited. After a
// reorg above finality, it starts again from the last final block and keeps the transfers that are still on the chain.

import { ChainError, type Head } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { openAddressBook } from './transfers/deposit-addresses';
import { holdCursors, moveTip, type ChainRow, type Cursor } from './cursors/chain-row';
import type { SessionTransfer } from './transfers/store';
import type { Pass } from './pass';
import { storeAboveFinality } from './transfers/store-unconfirmed';
import { nextWindow, wholeWindow } from './window';

/** Where the next window starts; `orphanAbove` is set when everything above that block was on an abandoned chain. */
type From = { readonly at: Cursor; readonly orphanAbove: number | null };

/** Scans blocks above finality up to the head. Throws a ChainError; transfers stored before it stay. */
export async function scanTip(
  context: Context,
  chain: FollowedChain,
  { row, head, pass }: { row: ChainRow; head: Head; pass: Pass },
): Promise<{ row: ChainRow; more: boolean }> {
  let current = row;
  let from = startOf(row, head);
  for (;;) {
    const span = { after: from.at.number, last: head.tip.number };
    const window = chain.adapter.readsBlocks ? nextWindow(pass.sizing, span) : wholeWindow(span);
    if (!window) return { row: await settleStart(context, current, from), more: false };
    if (!(await pass.next())) return { row: current, more: true };
    const book = openAddressBook(context, chain, { row: current, openOnly: true });
    const blocks = { ...window, parentHash: from.at.hash, final: false };
    const base = baseOf(current, head);
    const scan = await pass.attempt(blocks, () =>
      chain.adapter.scan(blocks, book.watch).catch((error: unknown) => {
        if (error instanceof ChainError && error.fault === 'reorganised' && from.at.hash !== base.hash) return null;
        throw error;
      }),
    );
    if (scan === undefined) continue;
    if (scan === null) {
      from = { at: base, orphanAbove: base.number };
      continue;
    }
    const to = { number: scan.through.number, hash: scan.through.hash };
    const own = scan.transfers.filter(({ recipient }) => !book.isForeign(recipient));
    const foundTransfers = own.map((found) => ({ ...found, sessionId: book.sessionOf(found.recipient) }));
    if (scan.unfinished) {
      await storeFound(context, current, foundTransfers);
      if (scan.unfinished.fault) throw new ChainError(scan.unfinished.fault, scan.unfinished.message);
      continue;
    }
    const moved = await store(context, current, { to, foundTransfers, orphan: from.orphanAbove });
    if (!moved) return { row: current, more: true };
    current = { ...current, tip: to };
    from = { at: to, orphanAbove: null };
  }
}

/** The last block that this pass skips. The final pass reads final blocks, however far behind it is. */
const baseOf = (row: ChainRow, head: Head): Cursor =>
  head.final.number > row.final.number ? { number: head.final.number, hash: head.final.hash } : row.final;

function startOf(row: ChainRow, head: Head): From {
  const base = baseOf(row, head);
  if (row.tip.number < base.number) return { at: base, orphanAbove: null };
  // The same height with another hash: the last blocks were replaced.
  const replaced = row.tip.number === head.tip.number && row.tip.hash !== head.tip.hash;
  return replaced ? { at: base, orphanAbove: base.number } : { at: row.tip, orphanAbove: null };
}

/** Stores the start position when no window follows: the tip is at finality, or fell back to it. */
async function settleStart(context: Context, row: ChainRow, { at, orphanAbove: orphan }: From): Promise<ChainRow> {
  if (at.hash === row.tip.hash) return row;
  const moved = await store(context, row, { to: at, foundTransfers: [], orphan });
  return moved ? { ...row, tip: at } : row;
}

type Stored = {
  readonly to: Cursor;
  readonly foundTransfers: readonly SessionTransfer[];
  readonly orphan: number | null;
};

/** Stores one window. False, with nothing stored, when another scanner has moved the cursor. */
const store = (context: Context, row: ChainRow, { to, foundTransfers, orphan }: Stored): Promise<boolean> =>
  storeAboveFinality(context, { row, foundTransfers, orphan, hold: (tx) => moveTip(tx, row, to) });

/** Stores the transfers of a window that could not be read completely. The cursor stays, so the next scan finds them again. */
const storeFound = (context: Context, row: ChainRow, foundTransfers: readonly SessionTransfer[]): Promise<boolean> =>
  storeAboveFinality(context, { row, foundTransfers, orphan: null, hold: (tx) => holdCursors(tx, row) });
