// What the customer is told of a session's refunds: how far each is, and where its receipt is. Why one failed or waits is the
// merchant's to know. Pure.

import { centsToText } from '@/lib/money/amounts';
import type { RefundStatus } from '@/prisma/generated/enums';
import type { CheckoutFacts, RefundRow } from './facts';

/** `waits`: for an address from the customer. */
export type RefundState = 'underway' | 'waits' | 'sent' | 'failed' | 'canceled';

export type ShownRefund = {
  readonly state: RefundState;
  /** Decimal text with two digits. */
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  /** Of the receipt, once it was sent. */
  readonly receipt_number: string | null;
};

/** The refunds in the order in which they were asked for. */
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

/** Whether the whole price was sent back, so that no further refund can follow. Refunds of payment exceptions are extra. */
export const isFullyRefunded = ({ refunds, amount_due: due }: Pick<CheckoutFacts, 'refunds' | 'amount_due'>): boolean =>
  refunds
    .filter(({ status, of_exception: isOfException }) => status === 'completed' && !isOfException)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n) >= BigInt(due);

/**
 * Cents that a paid order got beyond its price and that no refund of the exception sends back: what the customer has to ask the
 * shop for.
 */
export const extraCents = ({
  status,
  amount_due: due,
  amount_received: received,
  refunds,
}: Pick<CheckoutFacts, 'status' | 'amount_due' | 'amount_received' | 'refunds'>): bigint => {
  if (status !== 'completed') return 0n;
  const goesBack = refunds
    .filter((one) => one.of_exception && one.status !== 'failed' && one.status !== 'canceled')
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const extra = BigInt(received) - BigInt(due) - goesBack;
  return extra > 0n ? extra : 0n;
};
