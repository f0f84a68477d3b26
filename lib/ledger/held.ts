// What a store was credited for its sessions recently, less what it has refunded of it: the part of its balance that payouts wait for.

import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { quarantinedAccount, storeAccount, type AssetAmount } from './postings';

/**
 * Base units by token and network. A refund of an older session takes nothing from it, nor does the quarantine of one add to it, when it
 * ends. Under the lock of the store's balances no payment is missing.
 */
export async function readHeld(
  db: Db,
  {
    storeId,
    environment,
    since,
  }: { readonly storeId: string; readonly environment: Environment; readonly since: Date },
): Promise<readonly AssetAmount[]> {
  const { rows } = await db.query<{ network: string; currency: string; amount: string }>({
    name: 'ledger-held',
    text: `SELECT network, currency, sum(net)::text AS amount FROM (
             SELECT p.network, p.currency,
               greatest(0, least(-sum(p.amount), -coalesce(sum(p.amount) FILTER (WHERE p.account = $3), 0))) AS net FROM ledger_entries e
             JOIN ledger_postings p ON p.entry_id = e.id AND p.account IN ($3, $5)
             WHERE e.store_id = $1 AND e.environment = $2::"Environment" AND e.created_at > $4 AND e.session_id IS NOT NULL
             GROUP BY e.session_id, 1, 2) AS session
           GROUP BY 1, 2 HAVING sum(net) > 0 ORDER BY 1, 2`,
    values: [storeId, environment, storeAccount(storeId), since, quarantinedAccount(storeId)],
  });
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
}
