// A payout in the API's form. Fields without a value are omitted.

import { networkFacts } from '@/lib/networks/networks';
import { displayAddress } from '@/lib/networks/payment-uri';
import { unixSeconds } from '@/lib/platform/clock';
import type { Payout } from './payout';

/** The Payout object. JSON.stringify omits the fields that are undefined. */
export const payoutView = (payout: Payout) => ({
  payout_id: payout.payoutId,
  amount: Number(payout.amount),
  fee: Number(payout.fee),
  network_cost: Number(payout.networkCost),
  currency: payout.currency,
  network: payout.network,
  status: payout.status,
  description: payout.description ?? undefined,
  created_at: unixSeconds(payout.createdAt),
  destination: payout.destination === null ? undefined : shownAddress(payout.network, payout.destination),
  transaction_hash: payout.transactionHash ?? undefined,
  failure_reason: payout.failureReason ?? undefined,
  // A canceled payout was never processed.
  processed_at: payout.processedAt && payout.status !== 'canceled' ? unixSeconds(payout.processedAt) : undefined,
  hold: payout.status === 'processing' && payout.hold !== null ? holdView(payout) : undefined,
});

const holdView = ({ hold, holdMessage, holdUntil }: Payout) => ({
  reason: hold,
  message: holdMessage,
  until: holdUntil ? unixSeconds(holdUntil) : undefined,
});

/** An address as wallets show it. */
export function shownAddress(network: string, address: string): string {
  const facts = networkFacts(network);
  return facts ? displayAddress(facts.family, address) : address;
}
