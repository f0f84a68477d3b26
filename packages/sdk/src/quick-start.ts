// The quick-start variant of payment sessions: amounts as decimal text, and a network and token fixed by the request.

import type { CallOptions } from './options';
import type { Transport } from './transport';
import { creation, segment, type CreateOptions, type Optional } from './requests';
import type { SessionParams, SessionStatus } from './sessions';

export type QuickStartSession = {
  readonly session_id: string;
  readonly order_id: string;
  readonly payment_status: 'unpaid' | 'paid';
  readonly created: number;
  readonly status: SessionStatus;
  /** The page to send the customer to. */
  readonly url: string;
  readonly created_at: number;
  readonly expires_at: number;
};

export type QuickStartParams = Omit<SessionParams, 'amount' | 'line_items' | 'tax_amount' | 'shipping_amount'> & {
  /** Decimal text in major units of the currency ("12.50"), or an integer in minor units (1250). */
  readonly amount: string | number;
} & Optional<{
    payment_method_types: readonly string[];
    payment_method_options: {
      readonly crypto: {
        /** `tron`, `ethereum`, `bsc`, `solana`, or another network that the installation offers. */
        readonly network?: string;
        readonly currency?: 'USDT' | 'USDC';
      };
    };
  }>;

export class QuickStart {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async create(params: QuickStartParams, options: CreateOptions = {}): Promise<QuickStartSession> {
    const body = { mode: 'payment', ...params };
    const call = creation('/api/v1/checkout/sessions/create', body, options);
    return ((await this.#transport.call(call, options)) as { session: QuickStartSession }).session;
  }

  async retrieve(sessionId: string, options?: CallOptions): Promise<QuickStartSession> {
    const path = `/v1/payment/sessions/${segment(sessionId, 'sessionId')}/`;
    const call = { method: 'GET', path, repeatable: 'always' } as const;
    return ((await this.#transport.call(call, options)) as { session: QuickStartSession }).session;
  }
}
