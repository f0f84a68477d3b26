// A session as the API shows it (the PaymentSession object). Amounts become JSON numbers only here; none is above 2^53.

import { unixSeconds } from '@/lib/platform/clock';
import type { SessionStatus } from '@/prisma/generated/enums';
import type { LineItem } from './create/schema';

/** The fields that the API reports of a session. */
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
  // The API has no status of its own for canceled sessions; `canceled_at` distinguishes them.
  canceled: 'EXPIRED',
  failed: 'FAILED',
};

export const sessionUrl = (publicUrl: string, id: string): string => `${publicUrl}/pay/${id}`;
export const statusName = (status: SessionStatus): string => STATUS_NAMES[status];
export const paymentStatus = (status: SessionStatus): 'paid' | 'unpaid' => (status === 'completed' ? 'paid' : 'unpaid');

/** The PaymentSession object. Optional fields without a value are left out. */
export function sessionView(session: SessionFacts, publicUrl: string): Record<string, unknown> {
  return {
    ...canceledView(session, publicUrl),
    // Canceling sets the expiry to that moment, and the expiry never changes afterwards.
    ...(session.status === 'canceled' ? { canceled_at: unixSeconds(session.expiresAt) } : {}),
    ...(session.lineItems === null ? {} : { line_items: session.lineItems }),
    // The request's order id wins over metadata that the merchant sent under that key.
    metadata: { ...session.metadata, order_id: session.orderId },
  };
}

/** The subset of the fields in the response to a cancel. */
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

/**
 * The token that an event names before a payment has determined it: the only token offered, or the store's settlement token where it
 * is offered.
 */
export function requestedToken({ currencies }: Pick<SessionFacts, 'currencies'>, settlementCurrency: string): string {
  const [first] = currencies;
  if (first === undefined) throw new Error('a session offers at least one token');
  return currencies.includes(settlementCurrency) ? settlementCurrency : first;
}

/** The token that the price was converted into; null when no conversion applies. */
const targetCurrency = (session: Pick<SessionFacts, 'currencies' | 'exchangeRate'>): string | null =>
  session.exchangeRate === null ? null : (session.currencies[0] ?? null);

function conversionView(session: SessionFacts): Record<string, unknown> {
  if (session.exchangeRate === null) return {};
  return {
    exchange_rate: session.exchangeRate,
    target_currency: targetCurrency(session),
    target_amount_total: Number(session.amountDue),
    // Creating the session locks the rate. Later events never change it.
    rate_locked_at: unixSeconds(session.createdAt),
  };
}
