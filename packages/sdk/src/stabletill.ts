// The package's entry: the client with its resources, and everything else that it exports.

import { Events } from './events';
import type { StabletillOptions } from './options';
import { PaymentExceptions } from './payment-exceptions';
import { Payouts } from './payouts';
import { QuickStart } from './quick-start';
import { Refunds } from './refunds';
import { Sessions } from './sessions';
import { Transport } from './transport';

/** A client for one store's API with one key. Create it once and reuse it; concurrent calls are safe. */
export class Stabletill {
  readonly sessions: Sessions;
  readonly refunds: Refunds;
  readonly payouts: Payouts;
  readonly paymentExceptions: PaymentExceptions;
  readonly events: Events;
  readonly quickStart: QuickStart;

  /** Throws TypeError for invalid options. */
  constructor(options: StabletillOptions) {
    const transport = new Transport(options);
    this.sessions = new Sessions(transport);
    this.refunds = new Refunds(transport);
    this.payouts = new Payouts(transport);
    this.paymentExceptions = new PaymentExceptions(transport);
    this.events = new Events(transport);
    this.quickStart = new QuickStart(transport);
  }
}

export {
  AuthenticationError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  StabletillError,
  TimeoutError,
  WebhookVerificationError,
  type WebhookFault,
} from './errors';
export { verifyWebhook, type Delivery } from './verify-webhook';
export type { EventListParams, HeardEvent, HeardEvents, ListenParams } from './events';
export type { Listing, Page, PageParams } from './listing';
export type { CallOptions, Fetch, SignatureVersion, StabletillOptions } from './options';
export type {
  ExceptionAction,
  ExceptionDecision,
  ExceptionListParams,
  ExceptionState,
  PaymentException,
} from './payment-exceptions';
export type { CanceledPayout, Payout, PayoutListParams, PayoutParams, PayoutStatus } from './payouts';
export type { QuickStartParams, QuickStartSession } from './quick-start';
export type {
  CanceledRefund,
  CreatedRefund,
  Refund,
  RefundListParams,
  RefundParams,
  RefundReason,
  RefundStatus,
} from './refunds';
export type { CreateOptions } from './requests';
export type {
  CanceledSession,
  LineItem,
  PaymentSession,
  ReadSession,
  SessionListParams,
  SessionParams,
  SessionPayment,
  SessionStatus,
} from './sessions';
export type {
  OptionalEvent,
  OptionalEventObject,
  OptionalEventType,
  PaymentEvent,
  PaymentEventObject,
  PaymentEventType,
  PayoutEvent,
  PayoutEventObject,
  PayoutEventType,
  RefundEvent,
  RefundEventObject,
  RefundEventType,
  WebhookEvent,
} from './webhook-event';
