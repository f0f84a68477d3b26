// The events and their bodies, one row per type. Pure: id and time are arguments. A body is the exact text that is
// stored, signed and sent. Only bodies of test events have `test`.

import { unixSeconds } from '@/lib/platform/clock';
import type { SessionStatus } from '@/prisma/generated/enums';

/** The contract spells the event type `cancelled` and the status `canceled`. */
export const PAYMENT_EVENTS = {
  'payment.completed': { status: 'completed' },
  'payment.failed': { status: 'failed' },
  'payment.expired': { status: 'expired' },
  'payment.cancelled': { status: 'canceled' },
} as const;

export type PaymentEventType = keyof typeof PAYMENT_EVENTS;

export const REFUND_EVENTS = {
  'refund.succeeded': { status: 'completed' },
  'refund.failed': { status: 'failed' },
} as const;

export const PAYOUT_EVENTS = {
  'payout.paid': { status: 'completed' },
  'payout.failed': { status: 'failed' },
} as const;

export const OPTIONAL_PAYMENT_EVENTS = ['payment.seen', 'payment.partial', 'payment.exception'] as const;

export type RefundEventType = keyof typeof REFUND_EVENTS;
export type PayoutEventType = keyof typeof PAYOUT_EVENTS;
export type OptionalPaymentEventType = (typeof OPTIONAL_PAYMENT_EVENTS)[number];
export type OptionalEventType = OptionalPaymentEventType | PayoutEventType;
export type ContractEventType = PaymentEventType | RefundEventType;
export type EventType = ContractEventType | OptionalEventType;

export const PAYMENT_TYPES = Object.keys(PAYMENT_EVENTS) as PaymentEventType[];
export const REFUND_TYPES = Object.keys(REFUND_EVENTS) as RefundEventType[];
export const PAYOUT_TYPES = Object.keys(PAYOUT_EVENTS) as PayoutEventType[];
/** Optional events, which an endpoint gets only if its merchant chooses them. */
export const OPTIONAL_EVENTS = [...OPTIONAL_PAYMENT_EVENTS, ...PAYOUT_TYPES] as const;
/** The six events of the contract, which every endpoint gets. */
export const CONTRACT_TYPES: readonly ContractEventType[] = [...PAYMENT_TYPES, ...REFUND_TYPES];
export const EVENT_TYPES: readonly EventType[] = [...CONTRACT_TYPES, ...OPTIONAL_EVENTS];
export const isOptional = (type: EventType): type is OptionalEventType =>
  OPTIONAL_EVENTS.some((optional) => optional === type);
export const isPayoutEvent = (type: EventType): type is PayoutEventType => Object.hasOwn(PAYOUT_EVENTS, type);

/** The content of a refund event. */
export type RefundFacts = {
  readonly sessionId: string;
  readonly orderId: string;
  /** The merchant's own reference. */
  readonly refundId: string;
  /** Cents. */
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string;
  /** Null when it failed. */
  readonly transactionHash: string | null;
  /** Null when it did not fail. */
  readonly failureReason: string | null;
};

/** The content of a payout event. */
export type PayoutFacts = {
  /** The requester's name for it. */
  readonly payoutId: string;
  /** Cents. */
  readonly amount: bigint;
  readonly currency: string;
  readonly network: string;
  readonly description: string | null;
  /** As wallets show it; null when it failed before an address was chosen. */
  readonly destination: string | null;
  /** Null when it failed. */
  readonly transactionHash: string | null;
  /** Null when it did not fail. */
  readonly failureReason: string | null;
};

/** The content of a payment event. */
export type PaymentFacts = {
  readonly sessionId: string;
  readonly orderId: string;
  /** Cents of the requested token. */
  readonly amountDue: bigint;
  /**
   * The token of the payment; without a payment, the requested one (`requestedToken` in lib/payments/sessions/view).
   */
  readonly currency: string;
  /** Exact decimal text of the locked rate; null when no conversion applies. */
  readonly exchangeRate: string | null;
  /** Network and hash of the transfer that completed the session; null when there is none. */
  readonly network: string | null;
  readonly transactionHash: string | null;
  /** Cents. */
  readonly amountReceived: bigint;
};

/**
 * The content of an optional payment event: the session as it is now, and the payment that caused it. Currency, network and hash are
 * those of this payment; the received amount counts confirmed payments.
 */
export type OptionalFacts = PaymentFacts & {
  readonly status: SessionStatus;
  readonly network: string;
  readonly transactionHash: string;
  /** Cents of this payment. */
  readonly paymentAmount: bigint;
  /**
   * Only in `payment.exception`; null otherwise. `amount`: cents of the payment that the merchant has to decide about.
   */
  readonly exception: { readonly id: string; readonly kind: string; readonly amount: bigint } | null;
};

type Envelope = { readonly id: string; readonly now: Date; readonly isTest?: boolean };

/** The body of a payment event as JSON text. Fields without a value are omitted. */
export const paymentEventBody = (type: PaymentEventType, facts: PaymentFacts, envelope: Envelope): string =>
  bodyOf(type, envelope, paymentFields(facts, PAYMENT_EVENTS[type].status));

/** The body of a refund event as JSON text. Fields without a value are omitted. */
export const refundEventBody = (type: RefundEventType, facts: RefundFacts, envelope: Envelope): string =>
  bodyOf(type, envelope, {
    session_id: facts.sessionId,
    order_id: facts.orderId,
    refund_id: facts.refundId,
    refund_amount: facts.amount,
    refund_currency: facts.currency,
    status: REFUND_EVENTS[type].status,
    source: 'api',
    network: facts.network,
    transaction_hash: facts.transactionHash,
    failure_reason: facts.failureReason,
  });

/** The body of a payout event as JSON text. Fields without a value are omitted. */
export const payoutEventBody = (type: PayoutEventType, facts: PayoutFacts, envelope: Envelope): string =>
  bodyOf(type, envelope, {
    payout_id: facts.payoutId,
    amount: facts.amount,
    currency: facts.currency,
    network: facts.network,
    status: PAYOUT_EVENTS[type].status,
    description: facts.description,
    destination: facts.destination,
    transaction_hash: facts.transactionHash,
    failure_reason: facts.failureReason,
  });

/** The body of an optional payment event as JSON text: the fields of a payment event, and those of the payment. */
export const optionalEventBody = (type: OptionalPaymentEventType, facts: OptionalFacts, envelope: Envelope): string =>
  bodyOf(type, envelope, {
    ...paymentFields(facts, facts.status),
    payment_amount: facts.paymentAmount,
    exception_id: facts.exception?.id ?? null,
    exception_kind: facts.exception?.kind ?? null,
    exception_amount: facts.exception?.amount ?? null,
  });

const bodyOf = (type: EventType, { id, now, isTest = false }: Envelope, object: Json): string =>
  toJson({ id, type, created_at: unixSeconds(now), test: isTest || null, data: { object } });

const paymentFields = (facts: PaymentFacts, status: SessionStatus) => ({
  amount: facts.amountDue,
  status,
  currency: facts.currency,
  exchange_rate: facts.exchangeRate ?? '1',
  order_id: facts.orderId,
  session_id: facts.sessionId,
  source: 'api',
  network: facts.network,
  transaction_hash: facts.transactionHash,
  amount_received: facts.amountReceived,
});

type Json = string | number | bigint | boolean | null | { readonly [name: string]: Json };

/**
 * JSON text with every integer written exactly, which JSON.stringify does not support for bigint. Null fields are
 * omitted.
 */
function toJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${toJson(field)}`).join(',')}}`;
}
