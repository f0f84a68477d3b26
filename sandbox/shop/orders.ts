// The shop's orders, in memory only.

export type SentPayment = { readonly network: string; readonly currency: string; readonly hash: string };
export type Item = { readonly cents: bigint; readonly currency: string; readonly quantity: number };
export type Order = {
  readonly id: string;
  readonly item: Item;
  readonly sessionId: string;
  /** The hosted page. */
  readonly url: string;
  readonly payments: SentPayment[];
};

/** Above this number the oldest is deleted. */
const MAX_ORDERS = 1000;

export class Orders {
  readonly #orders = new Map<string, Order>();

  add(order: Order): void {
    this.#orders.set(order.id, order);
    const [oldest] = this.#orders.keys();
    if (this.#orders.size > MAX_ORDERS && oldest !== undefined) this.#orders.delete(oldest);
  }

  find(id: string): Order | null {
    return this.#orders.get(id) ?? null;
  }
}
