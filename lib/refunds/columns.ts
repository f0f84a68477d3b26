// The columns of refunds, payouts and cold transfers that the worker's steps read.

import type { Environment } from '@/lib/platform/ids';

export type PaymentColumns = {
  id: string;
  epoch: number;
  environment: Environment;
  amount: string;
  currency: string;
  network: string;
  sign_after: Date;
  destination: string | null;
  destination_kind: string | null;
  destination_reference: string | null;
  destination_mac: Buffer | null;
  hold: string | null;
  held_at: Date | null;
  hold_count: number;
  signature_requested_at: Date | null;
};
export type RefundColumns = PaymentColumns & {
  store_id: string;
  refund_id: string;
  session_id: string;
  order_id: string;
  case_id: string | null;
  cost_bearer: 'store' | 'operator' | 'operator_no_price' | null;
  cost_short: string | null;
  cost_short_at: Date | null;
};
export type PayoutColumns = PaymentColumns & { store_id: string; payout_id: string; fee: string; network_cost: string };
export type ColdTransferColumns = PaymentColumns & { number: number };
/** A row of any of the tables. */
export type PaymentRow = RefundColumns | PayoutColumns | ColdTransferColumns;

const COMMON = `r.id, r.epoch, r.environment, r.amount, r.currency, r.network, r.sign_after, r.destination,
  r.destination_kind, r.destination_reference, r.destination_mac, r.hold, r.held_at, r.hold_count, r.signature_requested_at`;

/** The columns of a row of each table under the alias r. */
export const PAYMENT_COLUMNS = {
  refunds: `${COMMON}, r.store_id, r.refund_id, r.session_id, r.order_id, r.case_id, r.cost_bearer, r.cost_short, r.cost_short_at`,
  payouts: `${COMMON}, r.store_id, r.payout_id, r.fee, r.network_cost`,
  cold_transfers: `${COMMON}, r.number`,
} as const;
