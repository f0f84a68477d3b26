// Payouts of the store's balance to its own payout address: create, retrieve, cancel, list. Amounts are whole cents of the token, times are
// Unix seconds.

import { Listing, type PageParams } from './listing';
import type { CallOptions } from './options';
import { segment, type Optional } from './requests';
import type { Transport } from './transport';

export type PayoutStatus = 'pending' | 'processing' | 'completed' | 'failed' | 'canceled';

export type Payout = {
  readonly payout_id: string;
  /** What arrives. */
  readonly amount: number;
  /** What the store pays beside the amount: the operator's fee, and its price for the network. */
  readonly fee: number;
  readonly network_cost: number;
  readonly currency: string;
  readonly network: string;
  readonly status: PayoutStatus;
  readonly description?: string;
  readonly created_at: number;
  /** The store's payout address, once it is chosen. */
  readonly destination?: string;
  readonly transaction_hash?: string;
  readonly failure_reason?: string;
  readonly processed_at?: number;
  /** Why the payout is on hold, and until when (Unix seconds) if that is known. */
  readonly hold?: { readonly reason: string; readonly message: string; readonly until?: number };
};

export type CanceledPayout = {
  readonly payout_id: string;
  readonly status: 'canceled';
  readonly canceled_at: number;
};

export type PayoutParams = {
  /** Your id, unique among the store's payouts. The same id with the same content means the same payout. */
  readonly payout_id: string;
  /** At least 100. */
  readonly amount: number;
  readonly currency: 'USDT' | 'USDC';
  readonly network: string;
} & Optional<{
  description: string;
  /** The most that the payout may cost beside the amount, in cents. It is refused when it would cost more. */
  max_costs: number;
}>;

export type PayoutListParams = PageParams & Optional<{ status: PayoutStatus }>;

const PATH = '/api/v1/payouts';

export class Payouts {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Requests a payout. Safe to repeat: the `payout_id` makes repeated calls one payout. */
  async create(params: PayoutParams, options?: CallOptions): Promise<Payout> {
    const path = `${PATH}/create`;
    const call = { method: 'POST', path, body: params, repeatable: 'always' } as const;
    return (await this.#transport.call(call, options)) as Payout;
  }

  async retrieve(payoutId: string, options?: CallOptions): Promise<Payout> {
    const path = `${PATH}/${segment(payoutId, 'payoutId')}`;
    return (await this.#transport.call({ method: 'GET', path, repeatable: 'always' }, options)) as Payout;
  }

  /**
   * Cancels a payout that is not signed yet. After a ConnectionError, retrieve the payout to see whether the cancellation took
   * effect.
   */
  async cancel(payoutId: string, options?: CallOptions): Promise<CanceledPayout> {
    const path = `${PATH}/${segment(payoutId, 'payoutId')}/cancel`;
    return (await this.#transport.call({ method: 'POST', path, repeatable: 'refused' }, options)) as CanceledPayout;
  }

  /** Newest first. */
  list(params: PayoutListParams = {}, options?: CallOptions): Listing<Payout> {
    return new Listing(this.#transport, PATH, params, options);
  }
}
