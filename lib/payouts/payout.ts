// A payout as its store reads it, the columns that it is read from, and its least amount.

import type { RefundStatus } from '@/prisma/generated/enums';

/** Cents. Smaller payouts would cost more than they are worth on most networks. */
export const LEAST_PAYOUT_CENTS = 100n;

export type Payout = {
  readonly id: string;
  /** The requester's name for it. */
  readonly payoutId: string;
  readonly status: RefundStatus;
  /** In cents: what arrives, and what the store pays beside it. */
  readonly amount: bigint;
  readonly fee: bigint;
  readonly networkCost: bigint;
  readonly currency: string;
  readonly network: string;
  readonly description: string | null;
  readonly createdAt: Date;
  /** In stored form; null until the signature is requested. */
  readonly destination: string | null;
  /** A code (lib/refunds/holds); null while nothing stands in the way. */
  readonly hold: string | null;
  readonly holdMessage: string | null;
  /** When the hold ends, where that is known. */
  readonly holdUntil: Date | null;
  readonly failureReason: string | null;
  readonly transactionHash: string | null;
  readonly processedAt: Date | null;
  readonly isCancelable: boolean;
};

type Amounts = 'amount' | 'fee' | 'networkCost';
export type PayoutRow = Omit<Payout, Amounts> & { readonly [Name in Amounts]: string };

/** The columns of a `PayoutRow`, of a table named `p`. A payout that waits for the delay of its address is tried again at its end. */
export const PAYOUT_COLUMNS = `p.id, p.payout_id AS "payoutId", p.status, p.amount, p.fee,
  p.network_cost AS "networkCost", p.currency, p.network, p.description,
  p.created_at AS "createdAt", p.destination, p.hold, p.hold_message AS "holdMessage",
  CASE p.hold WHEN 'address_delay' THEN p.next_at END AS "holdUntil", p.failure_reason AS "failureReason",
  p.transaction_hash AS "transactionHash", p.processed_at AS "processedAt",
  p.status IN ('pending', 'processing') AND p.signature_requested_at IS NULL AS "isCancelable"`;

export const payoutOf = (row: PayoutRow): Payout => ({
  ...row,
  amount: BigInt(row.amount),
  fee: BigInt(row.fee),
  networkCost: BigInt(row.networkCost),
});
