// The events in webhooks and in the event list, distinguished by `type`.

export type PaymentEventType = 'payment.completed' | 'payment.failed' | 'payment.expired' | 'payment.cancelled';
export type RefundEventType = 'refund.succeeded' | 'refund.failed';

/** Sent only to endpoints that subscribe to it. */
export type PayoutEventType = 'payout.paid' | 'payout.failed';

/** Sent only to endpoints that subscribe to it. None of these events means that a session is paid. */
export type OptionalEventType = 'payment.seen' | 'payment.partial' | 'payment.exception';

export type PaymentEventObject = {
  /** Whole cents of the token: the price. */
  readonly amount: number;
  readonly status: 'completed' | 'failed' | 'expired' | 'canceled';
  /** The token of the payment; without a payment, the store's settlement token. */
  readonly currency: string;
  readonly exchange_rate: string;
  readonly order_id: string;
  readonly session_id: string;
  readonly source: string;
  readonly network?: string;
  /** Hash of the transfer that completed the payment. */
  readonly transaction_hash?: string;
  /** Whole cents. */
  readonly amount_received: number;
};

export type OptionalEventObject = Omit<PaymentEventObject, 'status'> & {
  /** The session's status. */
  readonly status: 'pending' | PaymentEventObject['status'];
  readonly network: string;
  readonly transaction_hash: string;
  /** The amount of this payment in whole cents. */
  readonly payment_amount: number;
  /** Only `payment.exception` has these three fields. */
  readonly exception_id?: string;
  readonly exception_kind?: string;
  /** Whole cents that need a decision. */
  readonly exception_amount?: number;
};

export type RefundEventObject = {
  readonly session_id: string;
  readonly order_id: string;
  readonly refund_id: string;
  readonly refund_amount: number;
  readonly refund_currency: string;
  readonly status: 'completed' | 'failed';
  readonly source: string;
  readonly network: string;
  readonly transaction_hash?: string;
  readonly failure_reason?: string;
};

export type PayoutEventObject = {
  readonly payout_id: string;
  /** Whole cents of the token. */
  readonly amount: number;
  readonly currency: string;
  readonly network: string;
  readonly status: 'completed' | 'failed';
  readonly description?: string;
  readonly destination?: string;
  readonly transaction_hash?: string;
  readonly failure_reason?: string;
};

type Event<Type extends string, Subject> = {
  /** If you have seen this id before, do nothing and answer 200. */
  readonly id: string;
  readonly type: Type;
  /** Unix seconds. */
  readonly created_at: number;
  readonly data: { readonly object: Subject };
};

export type PaymentEvent = Event<PaymentEventType, PaymentEventObject>;
export type RefundEvent = Event<RefundEventType, RefundEventObject>;
export type OptionalEvent = Event<OptionalEventType, OptionalEventObject>;
export type PayoutEvent = Event<PayoutEventType, PayoutEventObject>;
export type WebhookEvent = PaymentEvent | OptionalEvent | RefundEvent | PayoutEvent;
