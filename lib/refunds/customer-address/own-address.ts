// Which addresses belong to this service: deposit addresses, assigned or pooled, and the refund wallet as far as the database knows it.
// A refund never goes to one of them.

import type { NetworkFamily } from '@/lib/networks/chain';
import { FAMILIES } from '@/lib/networks/families/family';
import type { Db } from '@/lib/platform/database/db';

/** Whether a stored address is one of ours. The refund wallet is known once a refund was drafted on its chain. */
export async function isOwnAddress(db: Db, family: NetworkFamily, address: string): Promise<boolean> {
  const column = FAMILIES[family].addressColumn;
  const { rows } = await db.query<{ own: boolean }>({
    name: `own-address-${family}`,
    text: `SELECT EXISTS (SELECT FROM sessions WHERE ${column} = $1)
             OR EXISTS (SELECT FROM address_pool WHERE ${column} = $1)
             OR EXISTS (SELECT FROM chains c CROSS JOIN LATERAL (
                  SELECT a.draft->>'from' AS wallet FROM refund_attempts a WHERE a.chain_id = c.id LIMIT 1) paid
                WHERE lower(paid.wallet) = lower($1)) AS own`,
    values: [address],
  });
  return rows[0]?.own === true;
}
