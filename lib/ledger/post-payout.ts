// Writes the ledger entries for payouts. A payout's amount and costs are reserved at the request and released when it fails
// or is canceled. When the store's address has the amount, it is booked as paid, and the costs as the operator's. Each
// happens at most once per payout, in the transaction that makes it a fact.

import type { Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { lockSpendable } from './frozen';
import { postEntry, releaseIntent } from './post-entry';
import {
  isSameAsset,
  payoutFeePostings,
  payoutPaidPostings,
  payoutReservationPostings,
  type AssetAmount,
  type PayoutCosts,
} from './postings';

/** `paid`: the token, network and base units that arrive. `costs`: what the store pays beside them. */
export type PostedPayout = {
  readonly intentId: string;
  readonly storeId: string;
  readonly environment: Environment;
  readonly paid: AssetAmount;
  readonly costs: PayoutCosts;
  /** Of a payout that the signer's journal knows (frozen.ts). */
  readonly isSigned?: boolean;
};

export const NO_COSTS: PayoutCosts = { fee: 0n, networkCost: 0n };

const aboutOf = ({ intentId, storeId, environment }: PostedPayout) => ({
  intentId,
  storeId,
  environment,
  sessionId: null,
});

/**
 * Reserves a payout. Returns the base units that the store lacks for it; nothing is written unless that is 0. `readHeld` returns what of the
 * balance must stay; it is called under the lock of the store's balances.
 */
export async function reservePayout(
  tx: Tx,
  payout: PostedPayout,
  readHeld: () => Promise<bigint> = async () => 0n,
): Promise<bigint> {
  const { storeId, paid, costs } = payout;
  const taken = { ...paid, amount: paid.amount + costs.fee + costs.networkCost };
  const balances = await lockSpendable(tx, payout);
  const available = balances.find((one) => isSameAsset(one, paid))?.amount ?? 0n;
  const left = available - (await readHeld());
  const lacking = taken.amount - (left > 0n ? left : 0n);
  if (lacking > 0n) return lacking;
  await postEntry(tx, 'payout_reserved', aboutOf(payout), payoutReservationPostings(storeId, taken));
  return 0n;
}

/** Gives the reserved amount back to the store. A no-op if it was released before. */
export const releasePayout = (tx: Tx, { intentId }: { readonly intentId: string }): Promise<void> =>
  releaseIntent(tx, intentId, ['payout_reserved'], 'payout_released');

/** Books that the store's address received the payout, and that the operator has earned its costs. */
export async function postPaidPayout(tx: Tx, payout: PostedPayout): Promise<void> {
  const { storeId, paid, costs } = payout;
  await postEntry(tx, 'payout_paid', aboutOf(payout), payoutPaidPostings(storeId, paid));
  const { network, currency } = paid;
  const earned = payoutFeePostings(storeId, { network, currency }, costs);
  if (earned.length > 0) await postEntry(tx, 'payout_fee', aboutOf(payout), earned);
}
