// Payment exceptions: payments that do not count fully, and decisions about them. Amounts are whole cents of the token, times are
// Unix seconds.

import { Listing, type PageParams } from './listing';
import { segment, type Optional } from './requests';
import type { CallOptions } from './options';
import type { Transport } from './transport';

export type ExceptionState = 'open' | 'accepted' | 'kept' | 'refund' | 'left';
export type ExceptionAction = 'accept' | 'keep' | 'refund' | 'leave';

export type PaymentException = {
  readonly id: string;
  readonly session_id: string;
  readonly order_id: string;
  readonly kind: 'early' | 'late' | 'wrong_network' | 'wrong_token' | 'over' | 'unfinished';
  readonly state: ExceptionState;
  /** The actions available now. */
  readonly actions: readonly ExceptionAction[];
  readonly network: string;
  readonly currency: string;
  /** The part of the payment that does not count. */
  readonly amount: number;
  /** The whole payment. */
  readonly payment_amount: number;
  readonly sender: string;
  readonly transaction_hash: string;
  readonly block_time: number;
  readonly created_at: number;
  readonly decided_at?: number;
  readonly decided_by?: 'merchant' | 'operator' | 'key' | 'rule';
  readonly note?: string;
};

/** Every action needs a key with `refunds:write`. */
export type ExceptionDecision = { readonly action: ExceptionAction } & Optional<{ note: string }>;

export type ExceptionListParams = PageParams & Optional<{ state: ExceptionState; session_id: string }>;

const PATH = '/api/v1/payment_exceptions';

export class PaymentExceptions {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async retrieve(exceptionId: string, options?: CallOptions): Promise<PaymentException> {
    const path = `${PATH}/${segment(exceptionId, 'exceptionId')}`;
    return (await this.#transport.call({ method: 'GET', path, repeatable: 'always' }, options)) as PaymentException;
  }

  /** Safe to repeat: the same decision again changes nothing. */
  async decide(exceptionId: string, decision: ExceptionDecision, options?: CallOptions): Promise<PaymentException> {
    const path = `${PATH}/${segment(exceptionId, 'exceptionId')}/decide`;
    const call = { method: 'POST', path, body: decision, repeatable: 'always' } as const;
    return (await this.#transport.call(call, options)) as PaymentException;
  }

  /** Newest first. */
  list(params: ExceptionListParams = {}, options?: CallOptions): Listing<PaymentException> {
    return new Listing(this.#transport, PATH, params, options);
  }
}
