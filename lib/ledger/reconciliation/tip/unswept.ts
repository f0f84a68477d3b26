// The token accounts of deposit addresses that hold money, on a network read by account. The stored cursors say what each of them held at
// finality, so a reading near the tip needs no earlier one, also after a restart.

import type { AccountCursor, DueAddress } from '@/lib/networks/chain';
import type { Db } from '@/lib/platform/database/db';
import { isNotQuarantined } from '@/lib/platform/database/quarantine';

/** Ten requests. A thief has the keys of all addresses, and the largest amounts are read first. The others are read in rotation at finality. */
const MOST_ACCOUNTS = 1000;

/** Those with the largest amounts, also other accounts than the associated one. None of addresses whose accounts cannot be proven now. */
export async function readUnswept(db: Db, chainId: number, most = MOST_ACCOUNTS): Promise<readonly DueAddress[]> {
  const { rows } = await db.query<Omit<AccountCursor, 'amount'> & { readonly amount: string }>({
    name: 'tip-unswept',
    text: `WITH held AS MATERIALIZED (SELECT address, currency FROM deposit_balances
               WHERE chain_id = $1 AND amount > 0 ORDER BY amount DESC, address LIMIT $2)
           SELECT a.account, a.owner, a.currency, a.amount::text AS amount, a.signature
           FROM held JOIN account_cursors a ON a.chain_id = $1 AND a.owner = held.address AND a.currency = held.currency
           WHERE a.amount > 0 AND ${isNotQuarantined('account', `$1::int || ' ' || a.owner`)}
           ORDER BY a.amount DESC, a.account LIMIT $2`,
    values: [chainId, most],
  });
  const addresses = new Map<string, AccountCursor[]>();
  for (const row of rows) {
    const cursors = addresses.get(row.owner) ?? [];
    addresses.set(row.owner, [...cursors, { ...row, amount: BigInt(row.amount) }]);
  }
  return [...addresses].map(([owner, accountCursors]) => ({ owner, accountCursors }));
}
