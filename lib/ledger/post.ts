// Writes the ledger entries for transfers, each once per transfer and kind, in the transaction that makes the recorded
// event a fact. Entries for refunds are in post-refund.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { movePostings, transferPostings, type Owed, type Posting } from './postings';

/** The transfer that an entry is about. `amount` is the whole transfer or the moved part. */
export type PostedTransfer = {
  readonly transferId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly sessionId: string;
  readonly network: string;
  readonly currency: string;
  /** Base units. */
  readonly amount: bigint;
};

/**
 * Why an unresolved amount becomes owed: it paid for a completed session, the store keeps a surplus, or it is to be
 * refunded. Each happens at most once per transfer.
 */
export type MoveKind = 'counted' | 'kept' | 'refund_owed';

const OWED_TO: Readonly<Record<MoveKind, Owed>> = { counted: 'store', kept: 'store', refund_owed: 'refund' };

/** Posts transfers that are not in the ledger yet, `toStore` of each to its store and the rest as unresolved. */
export function postTransfers(
  tx: Tx,
  transfers: readonly (PostedTransfer & { readonly toStore: bigint })[],
): Promise<void> {
  return post(
    tx,
    transfers.map(({ toStore, ...transfer }) => ({
      ...transfer,
      kind: 'transfer',
      postings: transferPostings({ ...transfer, toStore }),
    })),
  );
}

/** Posts who is owed the amounts that were unresolved. A move that was posted before is skipped. */
export function postMoves(tx: Tx, moves: readonly (PostedTransfer & { readonly kind: MoveKind })[]): Promise<void> {
  return post(
    tx,
    moves.map((move) => ({ ...move, postings: movePostings({ ...move, to: OWED_TO[move.kind] }) })),
  );
}

type Entry = PostedTransfer & { readonly kind: 'transfer' | MoveKind; readonly postings: readonly Posting[] };

async function post(tx: Tx, entries: readonly Entry[]): Promise<void> {
  if (entries.length === 0) return;
  const lines = entries.flatMap(({ postings, ...entry }) =>
    postings.map((one) => ({ ...entry, account: one.account, amount: one.amount.toString() })),
  );
  await tx.query({
    name: 'post-entries',
    text: `WITH line AS (SELECT * FROM json_to_recordset($1) AS line(kind text, "transferId" bigint, "storeId" text,
               environment "Environment", "sessionId" text, network text, currency text, account text, amount numeric)),
             entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, transfer_id)
               SELECT DISTINCT kind, "storeId", environment, "sessionId", "transferId" FROM line
               ON CONFLICT (transfer_id, kind) DO NOTHING RETURNING id, transfer_id, kind)
           INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
           SELECT entry.id, line.account, line.network, line.currency, line.amount
           FROM line JOIN entry ON entry.transfer_id = line."transferId" AND entry.kind = line.kind`,
    values: [JSON.stringify(lines)],
  });
}
