// Stores the cursors of the token accounts of deposit addresses. A cursor moves only in the transaction that stores the transfers found up
// to it. A cursor is valid whichever scanner wrote it, so an older one causes a second request and no loss.

import type { AccountCursor } from '@/lib/networks/chain';
import type { Tx } from '@/lib/platform/database/db';

/** Stores account cursors of one chain. Each replaces the former cursor of its account. */
export async function storeAccountCursors(
  tx: Tx,
  { chainId, cursors, now }: { chainId: number; cursors: readonly AccountCursor[]; now: Date },
): Promise<void> {
  if (cursors.length === 0) return;
  const text = `INSERT INTO account_cursors (chain_id, updated_at, account, owner, currency, amount, signature)
    SELECT $1, $2, account, owner, currency, amount, signature
    FROM unnest($3::text[], $4::text[], $5::text[], $6::numeric[], $7::text[])
      AS found (account, owner, currency, amount, signature)
    ON CONFLICT (chain_id, account) DO UPDATE SET owner = EXCLUDED.owner, currency = EXCLUDED.currency,
      amount = EXCLUDED.amount, signature = EXCLUDED.signature, updated_at = EXCLUDED.updated_at`;
  const values = [
    chainId,
    now,
    cursors.map(({ account }) => account),
    cursors.map(({ owner }) => owner),
    cursors.map(({ currency }) => currency),
    cursors.map(({ amount }) => amount.toString()),
    cursors.map(({ signature }) => signature),
  ];
  await tx.query({ name: 'marks_store', text, values });
}
