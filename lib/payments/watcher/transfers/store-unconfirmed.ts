// Stores transfers above finality, in one transaction with the tip cursor. If that fails, a second transaction stores each of them
// in its own savepoint, so that one that cannot be stored does not hide another customer's payment.

import { atOnce, inSavepoints, type Apply } from '@/lib/platform/database/isolate';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { quarantineFailed } from '@/lib/platform/database/quarantine';
import type { ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { openUnconfirmed, orphanAbove, orphanThese, storeUnconfirmed, type SessionTransfer } from './store';
import { unconfirmedSubject } from './quarantined';

type Seen = {
  readonly row: ChainRow;
  readonly foundTransfers: readonly SessionTransfer[];
  /** Orphan the transfers above this block, because their chain was abandoned; null for none. */
  readonly orphan: number | null;
  /** Moves or locks the cursor; null: another worker has moved it. */
  readonly hold: (tx: Tx) => Promise<{ readonly final: number } | null>;
};

/** False, with nothing stored, when another worker has moved the cursor. */
export async function storeAboveFinality(context: Context, seen: Seen): Promise<boolean> {
  try {
    return await transaction(context.pool, (tx) => store(context, tx, seen, atOnce));
  } catch (error) {
    context.log.warn(
      { err: error, chainId: seen.row.id },
      'unconfirmed transfers could not be stored in one transaction: each is stored in its own savepoint',
    );
  }
  return transaction(context.pool, (tx) => store(context, tx, seen, inSavepoints(tx)));
}

async function store(
  context: Context,
  tx: Tx,
  { row, foundTransfers, orphan, hold }: Seen,
  apply: Apply,
): Promise<boolean> {
  const { id: chainId } = row;
  const now = context.clock.now();
  const held = await hold(tx);
  if (!held) return false;
  const deps = { ...context, db: tx };
  if (orphan !== null) await giveUp(deps, tx, { chainId, above: Math.max(orphan, held.final), now, apply });
  const open = foundTransfers.filter(({ blockNumber }) => blockNumber > held.final);
  const stored = await apply(open, (some) =>
    storeUnconfirmed(tx, { chainId, foundTransfers: some, now, log: context.log }),
  );
  await quarantineFailed(deps, STEP, stored.failed, (transfer) => unconfirmedSubject(chainId, transfer));
  return true;
}

const STEP = 'watch (above finality)';

type GivenUp = { readonly chainId: number; readonly above: number; readonly now: Date; readonly apply: Apply };

async function giveUp(
  deps: Parameters<typeof quarantineFailed>[0],
  tx: Tx,
  { chainId, above, now, apply }: GivenUp,
): Promise<void> {
  if (apply === atOnce) return orphanAbove(tx, chainId, above, now);
  const open = await openUnconfirmed(tx, chainId, { above, upTo: null });
  const given = await apply(open, (some) => orphanThese(tx, some, now));
  await quarantineFailed(deps, STEP, given.failed, (transfer) => unconfirmedSubject(chainId, transfer));
}
