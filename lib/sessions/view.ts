// A session as the API shows it (spec: PaymentSession). Amounts become JSON numbers only here; none is beyond 2^53.

import { unixSeconds } from '@/lib/clock';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { LineItem } from './schema';

/** What the API tells about a session. */
export type SessionFacts = {
  readonly id: string;
  readonly orderId: string;
  readonly status: SessionStatus;
  readonly amountTotal: bigint;
  /** Cents of the token that the customer pays. */
  readonly amountDue: bigint;
  readonly currency: string;
  /** The tokens that the customer may choose from; one where a conversion applies. */
  readonly currencies: readonly string[];
  /** Exact decimal text of the rate that was locked at creation; null when no conversion applies. */
  readonly exchangeRate: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lineItems: readonly LineItem[] | null;
  readonly taxAmount: bigint | null;
  readonly shippingAmount: bigint | null;
  readonly metadata: Readonly<Record<string, string>> | null;
};

const STATUS_NAMES: Readonly<Record<SessionStatus, string>> = {
  pending: 'PENDING',
  completed: 'COMPLETED',
  expired: 'EXPIRED',
  canceled: 'CANCELED',
  failed: 'FAILED',
};

export const sessionUrl = (publicUrl: string, id: string): string => `${publicUrl}/pay/${id}`;
export const statusName = (status: SessionStatus): string => STATUS_NAMES[status];
export const paymentStatus = (status: SessionStatus): 'paid' | 'unpaid' => (status === 'completed' ? 'paid' : 'unpaid');

/** The PaymentSession object. Optional fields without a value are left out. */
export function sessionView(session: SessionFacts, publicUrl: string): Record<string, unknown> {
  return {
    ...canceledView(session, publicUrl),
    ...(session.lineItems === null ? {} : { line_items: session.lineItems.map(itemView) }),
    // The order id of the request wins over whatever the merchant sent under that key (decisions: Payment sessions).
    metadata: { ...session.metadata, order_id: session.orderId },
  };
}

/** The subset that a cancel answers with. */
export function canceledView(session: SessionFacts, publicUrl: string): Record<string, unknown> {
  return {
    id: session.id,
    amount_total: Number(session.amountTotal),
    currency: session.currency,
    payment_status: paymentStatus(session.status),
    status: statusName(session.status),
    created: unixSeconds(session.createdAt),
    expires_at: unixSeconds(session.expiresAt),
    url: sessionUrl(publicUrl, session.id),
    ...(session.taxAmount === null ? {} : { tax_amount: Number(session.taxAmount) }),
    ...(session.shippingAmount === null ? {} : { shipping_amount: Number(session.shippingAmount) }),
    ...conversionView(session),
  };
}

/** The token that the price was converted into; null when no conversion applies. */
export const targetCurrency = (session: Pick<SessionFacts, 'currencies' | 'exchangeRate'>): string | null =>
  session.exchangeRate === null ? null : (session.currencies[0] ?? null);

function conversionView(session: SessionFacts): Record<string, unknown> {
  if (session.exchangeRate === null) return {};
  return {
    exchange_rate: session.exchangeRate,
    target_currency: targetCurrency(session),
    target_amount_total: Number(session.amountDue),
    // The rate is locked by creating the session, and by nothing after that.
    rate_locked_at: unixSeconds(session.createdAt),
  };
}

const itemView = ({ price_data, quantity }: LineItem): unknown => ({
  price_data: { ...price_data, currency: price_data.currency.toUpperCase() },
  quantity,
});
