// The pass that shows a payment within seconds. It stores sightings above finality, which are display only and never money.
// When the chain was reorganised above finality, it starts again from the last final block and keeps what is still there.

import { ChainError, type Head } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { openAddressBook } from './transfers/deposit-addresses';
import { holdCursors, moveTip, type ChainRow, type Cursor } from './cursors/chain-row';
import type { Find } from './transfers/store';
import type { Pass } from './pass';
import { storeSeen } from './transfers/store-unconfirmed';
import { nextWindow, wholeWindow } from './window';

/** Where the next window starts; `orphanAbove` is set when everything above that block was on an abandoned chain. */
type From = { readonly at: Cursor; readonly orphanAbove: number | null };

/** Scans blocks above finality up to the head. Throws a ChainError; what was stored before it stays. */
export async function scanTip(
  context: Context,
  chain: FollowedChain,
  { row, head, pass }: { row: ChainRow; head: Head; pass: Pass },
): Promise<{ row: ChainRow; more: boolean }> {
  let current = row;
  let from = startOf(row, head);
  for (;;) {
    const span = { after: from.at.number, last: head.tip.number };
    const window = chain.adapter.readsBlocks ? nextWindow(pass.pace, span) : wholeWindow(span);
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
    const finds = own.map((found) => ({ ...found, sessionId: book.sessionOf(found.recipient) }));
    if (scan.unfinished) {
      await storeFound(context, current, finds);
      if (scan.unfinished.fault) throw new ChainError(scan.unfinished.fault, scan.unfinished.message);
      continue;
    }
    const moved = await store(context, current, { to, finds, orphan: from.orphanAbove });
    if (!moved) return { row: current, more: true };
    current = { ...current, tip: to };
    from = { at: to, orphanAbove: null };
  }
}

/** The last block that needs no looking at: what is final already is left to the final pass, however far behind that is. */
const baseOf = (row: ChainRow, head: Head): Cursor =>
  head.final.number > row.final.number ? { number: head.final.number, hash: head.final.hash } : row.final;

function startOf(row: ChainRow, head: Head): From {
  const base = baseOf(row, head);
  if (row.tip.number < base.number) return { at: base, orphanAbove: null };
  // The same height under another hash: the last blocks were replaced.
  const replaced = row.tip.number === head.tip.number && row.tip.hash !== head.tip.hash;
  return replaced ? { at: base, orphanAbove: base.number } : { at: row.tip, orphanAbove: null };
}

/** Records a start that no window followed: the tip caught up with finality, or fell back to it. */
async function settleStart(context: Context, row: ChainRow, { at, orphanAbove: orphan }: From): Promise<ChainRow> {
  if (at.hash === row.tip.hash) return row;
  const moved = await store(context, row, { to: at, finds: [], orphan });
  return moved ? { ...row, tip: at } : row;
}

type Stored = {
  readonly to: Cursor;
  readonly finds: readonly Find[];
  readonly orphan: number | null;
};

/** Stores one window. False, with nothing stored, when another scanner has moved the cursor meanwhile. */
const store = (context: Context, row: ChainRow, { to, finds, orphan }: Stored): Promise<boolean> =>
  storeSeen(context, { row, finds, orphan, hold: (tx) => moveTip(tx, row, to) });

/** Stores what was found of a window that could not be read whole; the cursor stays, and it is found again. */
const storeFound = (context: Context, row: ChainRow, finds: readonly Find[]): Promise<boolean> =>
  storeSeen(context, { row, finds, orphan: null, hold: (tx) => holdCursors(tx, row) });
