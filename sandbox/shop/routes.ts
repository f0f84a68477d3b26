// The demo shop's HTTP routes: shows the item, creates a session for an order and redirects the customer to the hosted page, pays
// with the test wallet, and shows the data of the shop's server. Errors become a page here, because a person reads them.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { StabletillError, type PaymentSession } from '@stabletill/sdk';
import type { Log } from '@/lib/platform/log';
import { randomText } from '@/lib/platform/ids';
import { PaymentRefused } from '../chains/payment';
import type { LocalChains } from '../chains/start';
import { readForm, refuseForeign, seeOther } from '../forms';
import { Refusal, send, type Exchange } from '../http';
import type { Inbox } from '../receiver/inbox';
import { MerchantServer, type Store } from './merchant';
import { readPurchase } from './offer';
import { itemPage } from './item-page';
import { Orders, type Order } from './orders';
import { faultPage, orderPage, type Webhook } from './pages';
import { STYLE } from './style';
import { text } from './text';

export const SHOP_PATH = '/shop';
const REFRESH_SECONDS = 3;

export class Shop {
  readonly #orders = new Orders();
  readonly #merchant: MerchantServer;
  readonly #chains: LocalChains;
  readonly #inbox: Inbox;
  readonly #publicUrl: string;
  readonly #log: Log;

  constructor(parts: { merchant: MerchantServer; chains: LocalChains; inbox: Inbox; publicUrl: string; log: Log }) {
    this.#merchant = parts.merchant;
    this.#chains = parts.chains;
    this.#inbox = parts.inbox;
    this.#publicUrl = parts.publicUrl;
    this.#log = parts.log;
  }

  /** Serves `/shop` and everything below it. */
  async serve(exchange: Exchange): Promise<void> {
    const { response } = exchange;
    try {
      await this.#route(exchange);
    } catch (error) {
      if (response.headersSent) throw error;
      const { status, message } = faultOf(error);
      if (status === 500) this.#log.error({ err: error }, 'the demo shop failed');
      this.#page(response, status, faultPage(message));
    }
  }

  async #route({ request, response, url }: Exchange): Promise<void> {
    const [order, action] = url.pathname.slice('/shop/orders/'.length).split('/');
    const target = `${request.method} ${url.pathname}`;
    if (target === 'GET /shop' || target === 'GET /shop/') return this.#page(response, 200, itemPage());
    if (target === 'GET /shop/style.css') return send(response, 200, 'text/css', STYLE);
    if (target === 'POST /shop/buy') return this.#buy(request, response);
    if (!url.pathname.startsWith('/shop/orders/') || !order) throw new Refusal(404, text('fault.nothing'));
    if (request.method === 'GET' && action === undefined) return this.#showOrder(this.#order(order), response);
    if (request.method === 'POST' && action === 'pay') return this.#payOrder(this.#order(order), request, response);
    throw new Refusal(404, text('fault.nothing'));
  }

  async #buy(request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseForeign(request, this.#publicUrl);
    const { item, language } = readPurchase(await readForm(request));
    const unitCents = Number(item.cents);
    const id = `shop-${randomText(12)}`;
    const page = `${this.#publicUrl}/shop/orders/${id}`;
    const session = await this.#merchant.createSession(this.#store(), {
      amount: unitCents * item.quantity,
      currency: item.currency,
      order_id: id,
      description: text('item.name'),
      line_items: [
        {
          price_data: {
            currency: item.currency,
            unit_amount: unitCents,
            product_data: { name: text('item.name'), description: text('item.description') },
          },
          quantity: item.quantity,
        },
      ],
      success_url: page,
      cancel_url: page,
    });
    const url = language === null ? session.url : `${session.url}?lang=${language}`;
    this.#orders.add({ id, item, sessionId: session.id, url, payments: [] });
    seeOther(response, url);
  }

  async #showOrder(order: Order, response: ServerResponse): Promise<void> {
    const store = this.#store();
    const [session, status] = await Promise.all([
      this.#merchant.readSession(store, order.sessionId),
      this.#merchant.publicStatus(order.sessionId),
    ]);
    const deliveries = this.#inbox.find({ contains: order.sessionId, storeId: store.id });
    const webhooks = await Promise.all(
      deliveries.map(async (delivery): Promise<Webhook> => ({
        delivery,
        genuine: await this.#merchant.isGenuine(store, delivery),
      })),
    );
    const refreshSeconds = isAwaited(order, session, webhooks) ? REFRESH_SECONDS : null;
    this.#page(response, 200, orderPage({ order, session, status, webhooks, refreshSeconds }));
  }

  async #payOrder(order: Order, request: IncomingMessage, response: ServerResponse): Promise<void> {
    refuseForeign(request, this.#publicUrl);
    const form = await readForm(request);
    const { methods } = await this.#merchant.publicStatus(order.sessionId);
    const method = methods.find(({ network, currency }) => `${network} ${currency}` === form.get('method'));
    const local = this.#chains.networks.get(method?.network ?? '');
    if (!method || !local) throw new Refusal(409, text('fault.method'));
    const { network, currency, address: recipient } = method;
    const cents = BigInt(method.amount.replace('.', ''));
    if (cents > 0n) {
      const hash = await local.pay({ currency, recipient, cents, scenario: 'exact' });
      order.payments.push({ network, currency, hash });
    }
    seeOther(response, `/shop/orders/${order.id}`);
  }

  #order(id: string): Order {
    const order = this.#orders.find(id);
    if (!order) throw new Refusal(404, text('fault.noOrder'));
    return order;
  }

  #store(): Store {
    const store = this.#merchant.store();
    if (!store) throw new Refusal(503, text('fault.notReady'));
    return store;
  }

  #page(response: ServerResponse, status: number, markup: string): void {
    const own = [
      "default-src 'none'",
      "style-src 'self'",
      'img-src data:',
      "base-uri 'none'",
      "frame-ancestors 'none'",
      // Buying redirects to the hosted page, which browsers count as the form's target.
      `form-action 'self' ${this.#publicUrl}`,
    ];
    response.setHeader('content-security-policy', own.join('; '));
    response.setHeader('referrer-policy', 'same-origin');
    send(response, status, 'text/html', markup);
  }
}

/** The page expects a change: the payment, or the webhook with the final state. */
function isAwaited(order: Order, session: PaymentSession, webhooks: readonly Webhook[]): boolean {
  return session.status === 'PENDING' ? order.payments.length > 0 : webhooks.length === 0;
}

function faultOf(error: unknown): { status: number; message: string } {
  if (error instanceof Refusal) return error;
  if (error instanceof PaymentRefused) return { status: 409, message: error.message };
  if (!(error instanceof StabletillError)) return { status: 500, message: text('fault.unexpected') };
  if (error.status === null) return { status: 502, message: text('fault.unreachable') };
  return { status: 502, message: text('fault.service', { status: String(error.status), code: error.code }) };
}
