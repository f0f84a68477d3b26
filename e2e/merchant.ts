// A merchant's own small client, written from the interface specification: the calls that bring a session into a state.
// It shares no code with the service.

import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';

export type Store = { readonly api_key: string; readonly api_secret: string };
export type Session = { readonly id: string; readonly url: string };
export type Refund = {
  readonly refund_id: string;
  readonly status: string;
  readonly hold?: { readonly reason: string; readonly claim_url?: string };
  readonly destination?: string;
  readonly receipt_number?: string;
  readonly receipt_url?: string;
  readonly transaction_hash?: string;
};
export type Payment = { network?: string; currency?: string; amount?: number; scenario?: string };

const CREATE = '/api/v1/checkout/sessions/create';
const helper = (id: string, action: string) => `/api/v1/test_helpers/checkout/sessions/${id}/${action}`;

export class Merchant {
  readonly #base: string;
  readonly #store: Store;

  /** `of`: a store with the key to use, or the index of a sandbox store. The second sandbox store has its own branding. */
  constructor(base: string, of: Store | number = 0) {
    this.#base = base;
    if (typeof of !== 'number') {
      this.#store = of;
      return;
    }
    const sandbox = JSON.parse(readFileSync(process.env.SANDBOX_JSON ?? '.data/sandbox.json', 'utf8')) as {
      stores: Store[];
    };
    const store = sandbox.stores[of];
    if (!store) throw new Error(`sandbox.json names no store ${of}`);
    this.#store = store;
  }

  /** A session over 12.34 USDT by default. */
  create(over: Record<string, unknown> = {}): Promise<Session> {
    return this.#post(CREATE, {
      amount: 1234,
      currency: 'USDT',
      order_id: `e2e-${randomUUID()}`,
      success_url: 'https://shop.example/thanks',
      cancel_url: 'https://shop.example/cart',
      ...over,
    });
  }

  pay(id: string, payment: Payment = {}): Promise<unknown> {
    return this.#post(helper(id, 'pay'), { network: 'bsc', currency: 'USDT', ...payment });
  }

  expire(id: string): Promise<{ readonly expires_at: number }> {
    return this.#post(helper(id, 'expire'), {});
  }

  cancel(id: string): Promise<unknown> {
    return this.#post(`/api/v1/checkout/sessions/${id}/cancel`, {});
  }

  /** A refund of the whole price, 12.34, by default. */
  refund(sessionId: string, over: Record<string, unknown> = {}): Promise<Refund> {
    const refund = { session_id: sessionId, refund_id: `e2e-${randomUUID()}`, amount: 1234, currency: 'USDT' };
    return this.#post('/api/v1/refunds/create', { ...refund, ...over });
  }

  readRefund(refundId: string): Promise<Refund> {
    return this.#send('GET', `/api/v1/refunds/${encodeURIComponent(refundId)}`, '');
  }

  #post<Answer>(path: string, content: unknown): Promise<Answer> {
    return this.#send('POST', path, JSON.stringify(content));
  }

  async #send<Answer>(method: string, path: string, body: string): Promise<Answer> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomUUID();
    const answer = await fetch(this.#base + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${this.#store.api_key}`,
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Signature': createHmac('sha256', this.#store.api_secret)
          .update(`${timestamp}.${nonce}.${body}`)
          .digest('hex'),
      },
      ...(method === 'GET' ? {} : { body }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer;
  }
}
