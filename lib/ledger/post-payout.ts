// Writes the ledger entries for payouts. A payout's amount is reserved at the request, released when it fails or is
// canceled, and booked as paid when the store's address has it. Each happens at most once per payout, in the transaction
// that makes it a fact.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { lockStoreBalances, postEntry, releaseIntent } from './post-entry';
import { isSameAsset, payoutPaidPostings, payoutReservationPostings, type AssetAmount } from './postings';

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
  const { storeId, paid } = payout;
  const balances = await lockStoreBalances(tx, payout);
  const lacking = paid.amount - (balances.find((held) => isSameAsset(held, paid))?.amount ?? 0n);
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
