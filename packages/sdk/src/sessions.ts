// Payment sessions: create, retrieve, cancel, list. Fields carry the names that they have on the wire; amounts are whole
// numbers in the currency's smallest unit (1250 is 12.50 USD), times are Unix seconds.

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

/** A canceled session is EXPIRED and has a `canceled_at` when it is read. */
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
  /** Decimal text. This field and the three after it are there only when a conversion applies. */
  readonly exchange_rate?: string;
  readonly target_currency?: string;
  readonly target_amount_total?: number;
  readonly rate_locked_at?: number;
};

export type PaymentSession = CanceledSession & {
  /** Only of a session that was canceled. */
  readonly canceled_at?: number;
  /** Exactly as they were sent. */
  readonly line_items?: readonly LineItem[];
  /** Holds the order_id too. */
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
  /** A payment that is `seen` can still be removed by the network and counts for nothing yet. */
  readonly state: 'seen' | 'final';
  /** The payment exception about it. */
  readonly exception_id?: string;
};

/** A session as `retrieve` and `list` answer it. The amounts are cents of the token. */
export type ReadSession = PaymentSession & {
  /** Final payments that count, also a part of the price. */
  readonly amount_received: number;
  /** What a refund may still ask for; 0 unless the session is COMPLETED. */
  readonly amount_refundable: number;
  /** Refunds that have not failed or been canceled. */
  readonly refunded_amount: number;
  readonly payments: readonly SessionPayment[];
};

export type SessionParams = {
  /** Equals line items, tax and shipping together, where they are given. */
  readonly amount: number;
  readonly currency: string;
  /** Unique among the store's orders. */
  readonly order_id: string;
} & Optional<{
  description: string;
  line_items: readonly LineItem[];
  tax_amount: number;
  shipping_amount: number;
  /** The hosted page goes there by itself after the payment, unless the customer stays. */
  success_url: string;
  /** The hosted page goes there by itself after the session is canceled, unless the customer stays. */
  cancel_url: string;
  /** Seconds, 60 to 3600; 1800 unless given. */
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

  /** Creates a session. Repeated safely: without an idempotency key of yours each call makes one for its own tries. */
  async create(params: SessionParams, options: CreateOptions = {}): Promise<PaymentSession> {
    return (await this.#transport.call(creation(`${PATH}/create`, params, options), options)) as PaymentSession;
  }

  async retrieve(sessionId: string, options?: CallOptions): Promise<ReadSession> {
    const path = `${PATH}/${segment(sessionId, 'sessionId')}`;
    return (await this.#transport.call({ method: 'GET', path, repeatable: 'always' }, options)) as ReadSession;
  }

  /** Expires an unpaid session at once. After a ConnectionError retrieve it, to see whether that had been done. */
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
