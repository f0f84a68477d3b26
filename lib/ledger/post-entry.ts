// Writes one ledger entry about a payment of the refund wallet or about a session's frozen money, and the entry that reverses others of the
// same payment.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { storeAccount, type AssetAmount, type AssetPosting } from './postings';

export type EntryKind =
  | 'refund_reserved'
  | 'refund_converted'
  | 'refund_released'
  | 'refund_paid'
  | 'payout_reserved'
  | 'payout_released'
  | 'payout_paid'
  | 'payout_fee'
  | 'quarantined'
  | 'quarantine_released'
  | 'cold_transfer'
  | 'cold_return'
  | 'funding';

export type EntryAbout = {
  readonly environment: Environment;
  readonly storeId: string | null;
  readonly sessionId: string | null;
  readonly intentId: string | null;
};

/** A second entry of one kind for a payment is a fault, and rolls everything back. */
export async function postEntry(
  tx: Tx,
  kind: EntryKind,
  about: EntryAbout,
  postings: readonly AssetPosting[],
): Promise<void> {
  await tx.query({
    name: 'refund-post',
    text: `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, intent_id)
             VALUES ($1, $2, $3::"Environment", $4, $5) RETURNING id)
           INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
           SELECT entry.id, line.account, line.network, line.currency, line.amount FROM entry,
             unnest($6::text[], $7::text[], $8::text[], $9::numeric[]) AS line (account, network, currency, amount)`,
    values: [
      kind,
      about.storeId,
      about.environment,
      about.sessionId,
      about.intentId,
      postings.map(({ account }) => account),
      postings.map(({ network }) => network),
      postings.map(({ currency }) => currency),
      postings.map(({ amount }) => amount.toString()),
    ],
  });
}

/**
 * Reverses the entries `kinds` of a payment, of which the first is the reservation, by one entry `as`. A no-op if nothing
 * was reserved or it was released before.
 */
export async function releaseIntent(
  tx: Tx,
  intentId: string,
  kinds: readonly [EntryKind, ...EntryKind[]],
  as: EntryKind,
): Promise<void> {
  await tx.query({
    name: 'intent-release',
    text: `WITH taken AS (SELECT * FROM ledger_entries WHERE intent_id = $1 AND kind = ANY($2)),
             entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id, intent_id)
               SELECT $4, store_id, environment, session_id, intent_id FROM taken WHERE kind = $3
               ON CONFLICT (intent_id, kind) DO NOTHING RETURNING id)
           INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
           SELECT entry.id, p.account, p.network, p.currency, -sum(p.amount)
           FROM entry, taken JOIN ledger_postings p ON p.entry_id = taken.id
           GROUP BY 1, 2, 3, 4 HAVING sum(p.amount) <> 0`,
    values: [intentId, kinds, kinds[0], as],
  });
}

/**
 * Locks a store's own balances and returns them, in the order in which postings lock, where they come first (migration
 * ledger_order). Two payments of a store then run one after the other, and neither deadlocks with a posting.
 */
export async function lockStoreBalances(
  tx: Tx,
  { environment, storeId }: { readonly environment: Environment; readonly storeId: string },
): Promise<readonly AssetAmount[]> {
  const { rows } = await tx.query<{ network: string; currency: string; amount: string }>({
    name: 'store-balances-lock',
    text: 'SELECT network, currency, -amount AS amount FROM lock_balances($1::"Environment", $2)',
    values: [environment, storeAccount(storeId)],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}
