// Writes the ledger entries for payouts. A payout's amount is reserved at the request, released when it fails or is
// canceled, and booked as paid when the store's address has it. Each happens at most once per payout, in the transaction
// that makes it a fact.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { postEntry, releaseIntent } from './post-entry';
import { payoutPaidPostings, payoutReservationPostings, storeAccount, type AssetAmount } from './postings';

/** `paid`: the token, network and base units of the payout. */
export type PostedPayout = {
  readonly intentId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly paid: AssetAmount;
};

const aboutOf = ({ intentId, storeId, environment }: PostedPayout) => ({
  intentId,
  storeId,
  environment,
  sessionId: null,
});

/** Reserves a payout. Returns the base units that the store lacks for it; nothing is written unless that is 0. */
export async function reservePayout(tx: Tx, payout: PostedPayout): Promise<bigint> {
  const { environment, storeId, paid } = payout;
  // Locks all balances of the store in the order in which postings lock them (migration ledger_order).
  const { rows } = await tx.query<{ network: string; currency: string; amount: string }>({
    name: 'store-balances-lock',
    text: 'SELECT network, currency, -amount AS amount FROM lock_balances($1::"Environment", $2)',
    values: [environment, storeAccount(storeId)],
  });
  const held = rows.find(({ network, currency }) => network === paid.network && currency === paid.currency);
  const lacking = paid.amount - BigInt(held?.amount ?? 0);
  if (lacking > 0n) return lacking;
  await postEntry(tx, 'payout_reserved', aboutOf(payout), payoutReservationPostings(storeId, paid));
  return 0n;
}

/** Gives the reserved amount back to the store. A no-op if it was released before. */
export const releasePayout = (tx: Tx, { intentId }: { readonly intentId: string }): Promise<void> =>
  releaseIntent(tx, intentId, ['payout_reserved'], 'payout_released');

/** Books that the store's address received the payout. */
export const postPaidPayout = (tx: Tx, payout: PostedPayout): Promise<void> =>
  postEntry(tx, 'payout_paid', aboutOf(payout), payoutPaidPostings(payout.storeId, payout.paid));
