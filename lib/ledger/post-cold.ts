// Writes the ledger entries of transfers to the cold wallet and back, each once, in the transaction that completes the transfer.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { postEntry } from './post-entry';
import { COLD, coldPostings, coldReturnPostings, type AssetAmount } from './postings';

type Moved = { readonly intentId: string; readonly environment: Environment; readonly moved: AssetAmount };

export const postColdTransfer = (tx: Tx, { intentId, environment, moved }: Moved): Promise<void> =>
  postEntry(tx, 'cold_transfer', { environment, storeId: null, sessionId: null, intentId }, coldPostings(moved));

/** What the cold wallet sends back beyond what it got from the refund wallet is the operator's own money. */
export async function postColdReturn(tx: Tx, { intentId, environment, moved }: Moved): Promise<void> {
  // The account is the first one that postings lock (migration ledger_order).
  const { rows } = await tx.query<{ network: string; currency: string; amount: string }>({
    name: 'cold-balances-lock',
    text: 'SELECT network, currency, amount FROM lock_balances($1::"Environment", $2)',
    values: [environment, COLD],
  });
  const own = rows.find(({ network, currency }) => network === moved.network && currency === moved.currency);
  const booked = own === undefined || BigInt(own.amount) < 0n ? 0n : BigInt(own.amount);
  const about = { environment, storeId: null, sessionId: null, intentId };
  return postEntry(tx, 'cold_return', about, coldReturnPostings(moved, booked));
}
