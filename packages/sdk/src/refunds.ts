// Refunds of paid sessions: create, retrieve, cancel, list. Amounts are whole cents of the token, times are Unix seconds.

import { Listing, type PageParams } from './listing';
import { segment, type Optional } from './requests';
import type { CallOptions } from './options';
import type { Transport } from './transport';

export type RefundStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'canceled';
export type RefundReason = 'requested_by_customer' | 'duplicate' | 'fraudulent' | 'expired_uncaptured';

/** A refund as `create` returns it. */
export type CreatedRefund = {
  readonly refund_id: string;
  readonly session_id: string;
  readonly order_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly status: RefundStatus;
  readonly reason?: RefundReason;
  readonly description?: string;
  readonly created_at: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
};

export type Refund = CreatedRefund & {
  readonly failure_reason?: string | null;
  readonly transaction_hash?: string;
  readonly receipt_number?: string;
  /** A receipt page for the customer. */
  readonly receipt_url?: string;
  readonly processed_at?: number;
  /** Cents charged to the store for the network fee, once the refund has ended; absent if the operator pays it. */
  readonly network_cost?: number;
  readonly network: string;
  readonly destination?: string;
  /**
   * Why the refund is on hold, and until when (Unix seconds) if that is known. The customer enters an address at `claim_url`,
   * which only keys with `refunds:write` get: send it to them.
   */
  readonly hold?: {
    readonly reason: string;
    readonly message: string;
    readonly until?: number;
    readonly claim_url?: string;
  };
};

export type CanceledRefund = {
  readonly refund_id: string;
  readonly status: 'canceled';
  readonly canceled_at: number;
};

export type RefundParams = {
  readonly session_id: string;
  /** Your id, unique among the store's refunds. The same id with the same content means the same refund. */
  readonly refund_id: string;
  readonly amount: number;
  readonly currency: 'USDT' | 'USDC';
} & Optional<{
  reason: RefundReason;
  description: string;
  metadata: Readonly<Record<string, unknown>>;
}>;

const PATH = '/api/v1/refunds';

export class Refunds {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Creates a refund. Safe to repeat: the `refund_id` makes repeated calls one refund. */
  async create(params: RefundParams, options?: CallOptions): Promise<CreatedRefund> {
    const path = `${PATH}/create`;
    const call = { method: 'POST', path, body: params, repeatable: 'always' } as const;
    return (await this.#transport.call(call, options)) as CreatedRefund;
  }

  async retrieve(refundId: string, options?: CallOptions): Promise<Refund> {
    const path = `${PATH}/${segment(refundId, 'refundId')}`;
    return (await this.#transport.call({ method: 'GET', path, repeatable: 'always' }, options)) as Refund;
  }

  /**
   * Cancels a refund that is not signed yet. After a ConnectionError, retrieve the refund to see whether the cancellation took
   * effect.
   */
  async cancel(refundId: string, options?: CallOptions): Promise<CanceledRefund> {
    const path = `${PATH}/${segment(refundId, 'refundId')}/cancel`;
    return (await this.#transport.call({ method: 'POST', path, repeatable: 'refused' }, options)) as CanceledRefund;
  }

  /** Newest first. */
  list(params: RefundListParams = {}, options?: CallOptions): Listing<Refund> {
    return new Listing(this.#transport, PATH, params, options);
  }
}

export type RefundListParams = PageParams & Optional<{ status: RefundStatus; session_id: string; order_id: string }>;
