// Payment sessions: create, retrieve, cancel, list. Fields have the same names as in the API. Amounts are whole numbers in the
// currency's smallest unit (1250 is 12.50 USD); times are Unix seconds.

import type { CallOptions } from './options';
import type { Transport } from './transport';
import { Listing, type PageParams } from './listing';
import { creation, segment, type CreateOptions, type Optional } from './requests';

export type LineItem = {
  readonly price_data: {
    readonly currency: string;
    readonly unit_amount: number;
    readonly product_data: { readonly name: string; readonly description?: string };
  };
  readonly quantity?: number;
};

/** A canceled session reads as EXPIRED and has a `canceled_at`. */
export type SessionStatus = 'PENDING' | 'COMPLETED' | 'EXPIRED' | 'FAILED';

export type CanceledSession = {
  readonly id: string;
  readonly amount_total: number;
  readonly currency: string;
  readonly payment_status: 'unpaid' | 'paid';
  readonly status: SessionStatus;
  readonly created: number;
  readonly expires_at: number;
  /** The page to send the customer to. */
  readonly url: string;
  readonly tax_amount?: number;
  readonly shipping_amount?: number;
  /** Decimal text. This field and the next three are present only when a conversion applies. */
  readonly exchange_rate?: string;
  readonly target_currency?: string;
  readonly target_amount_total?: number;
  readonly rate_locked_at?: number;
};

export type PaymentSession = CanceledSession & {
  /** Present only on a canceled session. */
  readonly canceled_at?: number;
  /** Exactly as sent. */
  readonly line_items?: readonly LineItem[];
  /** Contains the order_id too. */
  readonly metadata?: Readonly<Record<string, string>>;
};

/** A transfer to one of the session's addresses. */
export type SessionPayment = {
  readonly network: string;
  readonly currency: string;
  /** Whole cents of the token, rounded down. */
  readonly amount: number;
  readonly sender: string;
  readonly transaction_hash: string;
  readonly block_time: number;
  /** The network can still remove a payment that is `seen`, so it does not count yet. */
  readonly state: 'seen' | 'final';
  /** The payment exception of this payment. */
  readonly exception_id?: string;
};

/** A session as `retrieve` and `list` return it. Amounts are cents of the token. */
export type ReadSession = PaymentSession & {
  /** Final payments that count, including partial ones. */
  readonly amount_received: number;
  /** The amount that can still be refunded; 0 unless the session is COMPLETED. */
  readonly amount_refundable: number;
  /** Refunds that have not failed or been canceled. */
  readonly refunded_amount: number;
  readonly payments: readonly SessionPayment[];
};

export type SessionParams = {
  /** Must equal the sum of line items, tax and shipping, if they are given. */
  readonly amount: number;
  readonly currency: string;
  /** Unique among the store's orders. */
  readonly order_id: string;
} & Optional<{
  description: string;
  line_items: readonly LineItem[];
  tax_amount: number;
  shipping_amount: number;
  /** The hosted page redirects here after the payment, unless the customer stays. */
  success_url: string;
  /** The hosted page redirects here after the session is canceled, unless the customer stays. */
  cancel_url: string;
  /** The customer's country, ISO 3166-1 alpha-2: the country rules then decide which tokens are offered. It is not stored. */
  customer_country: string;
  /** Seconds, 60 to 3600; default 1800. */
  expires_in: number;
  metadata: Readonly<Record<string, string>>;
}>;

const PATH = '/api/v1/checkout/sessions';

export class Sessions {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a session. Safe to repeat: without your own idempotency key, each call generates one for its retries. */
  async create(params: SessionParams, options: CreateOptions = {}): Promise<PaymentSession> {
    return (await this.#transport.call(creation(`${PATH}/create`, params, options), options)) as PaymentSession;
  }

  async retrieve(sessionId: string, options?: CallOptions): Promise<ReadSession> {
    const path = `${PATH}/${segment(sessionId, 'sessionId')}`;
    return (await this.#transport.call({ method: 'GET', path, repeatable: 'always' }, options)) as ReadSession;
  }

  /**
   * Expires an unpaid session at once. After a ConnectionError, retrieve the session to see whether the cancellation took effect.
   */
  async cancel(sessionId: string, options?: CallOptions): Promise<CanceledSession> {
    const path = `${PATH}/${segment(sessionId, 'sessionId')}/cancel`;
    return (await this.#transport.call({ method: 'POST', path, repeatable: 'refused' }, options)) as CanceledSession;
  }

  /** Newest first. */
  list(params: SessionListParams = {}, options?: CallOptions): Listing<ReadSession> {
    return new Listing(this.#transport, PATH, params, options);
  }
}

export type SessionListParams = PageParams & Optional<{ status: SessionStatus | 'CANCELED'; order_id: string }>;
