// The customer's view of a session's refunds: the state of each and its receipt. The reason why a refund failed or is on hold is for
// the merchant only. Pure.

import { centsToText } from '@/lib/money/amounts';
import type { RefundStatus } from '@/prisma/generated/enums';
import type { CheckoutFacts, RefundRow } from './facts';

/** `waits`: on hold until the customer gives an address. */
export type RefundState = 'underway' | 'waits' | 'sent' | 'failed' | 'canceled';

export type ShownRefund = {
  readonly state: RefundState;
  /** Decimal text with two digits. */
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  /** The receipt number, once the refund was sent. */
  readonly receipt_number: string | null;
};

/** The refunds in the order of their requests. */
export const shownRefunds = (rows: readonly RefundRow[]): ShownRefund[] =>
  rows.map(({ status, amount, currency, network, waits_for_address: waits, receipt_number }) => ({
    state: waits && STATES[status] === 'underway' ? 'waits' : STATES[status],
    amount: centsToText(BigInt(amount)),
    currency,
    network,
    receipt_number,
  }));

const STATES: Readonly<Record<RefundStatus, RefundState>> = {
  pending: 'underway',
  processing: 'underway',
  completed: 'sent',
  failed: 'failed',
  canceled: 'canceled',
};

/** Whether the whole price was refunded, so that no further refund can follow. Refunds of payment exceptions do not count. */
export const isFullyRefunded = ({ refunds, amount_due: due }: Pick<CheckoutFacts, 'refunds' | 'amount_due'>): boolean =>
  refunds
    .filter(({ status, of_exception: isOfException }) => status === 'completed' && !isOfException)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n) >= BigInt(due);

/**
 * Cents that a paid order received beyond its price and that no refund of an exception returns. The customer has to ask the shop for
 * them.
 */
export const extraCents = ({
  status,
  amount_due: due,
  amount_received: received,
  refunds,
}: Pick<CheckoutFacts, 'status' | 'amount_due' | 'amount_received' | 'refunds'>): bigint => {
  if (status !== 'completed') return 0n;
  const returned = refunds
    .filter((one) => one.of_exception && one.status !== 'failed' && one.status !== 'canceled')
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const extra = BigInt(received) - BigInt(due) - returned;
  return extra > 0n ? extra : 0n;
};
