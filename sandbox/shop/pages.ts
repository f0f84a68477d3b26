// The demo shop's page of an order and its error page. Complete without scripts; all content comes in as an argument.

import type { ReadSession } from '@stabletill/sdk';
import { centsToText } from '@/lib/money/amounts';
import type { Received } from '../receiver/inbox';
import { page, PICTURE } from './frame';
import { html, type Html } from './html';
import type { PublicStatus } from './merchant';
import type { Order, SentPayment } from './orders';
import { price, text, textFor, timeOfDay } from './text';

export type Webhook = { readonly delivery: Received; readonly genuine: boolean };
export type OrderView = {
  readonly order: Order;
  readonly session: ReadSession;
  readonly status: PublicStatus;
  readonly webhooks: readonly Webhook[];
  /** Seconds until the page reloads, or null when no change is expected. */
  readonly refreshSeconds: number | null;
};

export function orderPage(view: OrderView): string {
  const { order, session, status, webhooks, refreshSeconds } = view;
  const { cents, currency, quantity } = order.item;
  // While a payment is unconfirmed, the page must not offer to pay again.
  const payable = session.status === 'PENDING' && status.methods.length > 0 && refreshSeconds === null;
  const state = stateOf(session);
  const refunded = centsToText(BigInt(session.refunded_amount));
  const received = text('order.receivedOf', { received: status.amount_received, due: status.amount_due });
  return page(
    text('order.title', { order: order.id }),
    html`<section class="card">
        <h1>${headline(session.status)}</h1>
        <div class="bought">
          ${PICTURE}
          <p>
            ${text('order.times', { quantity: String(quantity), item: text('item.name') })}<br />
            <strong>${price(cents * BigInt(quantity), currency)}</strong>
          </p>
          <strong class="status" data-status="${state}">${textFor('order.status', state)}</strong>
        </div>
        <dl>
          <dt>${text('order.order')}</dt>
          <dd><code>${order.id}</code></dd>
          <dt>${text('order.received')}</dt>
          <dd>${received}</dd>
          ${
            session.refunded_amount > 0
              ? html`<dt>${text('order.refunded')}</dt>
                  <dd>${refunded}</dd>`
              : null
          }
        </dl>
        ${refreshSeconds === null ? null : refreshNote(refreshSeconds)}
        <p class="links">
          <a href="${order.url}">${text('order.hostedPage')}</a>
          <a href="/shop/orders/${order.id}">${text('order.refresh')}</a>
          <a href="/shop">${text('order.again')}</a>
        </p>
      </section>
      ${payable ? walletForm(order, status) : null} ${order.payments.length > 0 ? sentPayments(order.payments) : null}
      <details class="card">
        <summary>${text('webhooks.behind')}</summary>
        <p>${text('order.session')}: <code>${session.id}</code></p>
        <h2>${text('webhooks.title')}</h2>
        ${webhooks.length > 0 ? webhooks.map(webhookEntry) : html`<p>${text('webhooks.none')}</p>`}
      </details>`,
    refreshSeconds,
  );
}

/** A requested refund counts at once: the customer sees it before it arrives. */
function stateOf({ status, refunded_amount: refunded, amount_refundable: left }: ReadSession): string {
  if (status !== 'COMPLETED' || refunded === 0) return status;
  return left === 0 ? 'REFUNDED' : 'PARTLY_REFUNDED';
}

const headline = (status: ReadSession['status']): string =>
  text(status === 'COMPLETED' ? 'order.thanks' : status === 'PENDING' ? 'order.waiting' : 'order.over');

export function faultPage(message: string): string {
  return page(
    text('fault.title'),
    html`<section class="card">
      <h1>${text('fault.title')}</h1>
      <p>${message}</p>
      <p><a href="/shop">${text('fault.back')}</a></p>
    </section>`,
  );
}

function walletForm(order: Order, { methods }: PublicStatus): Html {
  const [first, ...others] = methods.map(
    ({ network, currency, amount }, n) =>
      html`<label>
        <input type="radio" name="method" value="${network} ${currency}" required ${n === 0 ? html`checked` : null} />
        <span>${text('wallet.choice', { currency, network: textFor('network', network) })}</span>
        <span class="amount">${text('wallet.amount', { amount, currency })}</span>
      </label>`,
  );
  return html`<section class="card">
    <h2>${text('wallet.title')}</h2>
    <p>${text('wallet.explain')}</p>
    <form method="post" action="/shop/orders/${order.id}/pay">
      <fieldset>
        <legend>${text('wallet.choose')}</legend>
        ${first ?? null} ${others.length > 0 ? otherMethods(others) : null}
      </fieldset>
      <button>${text('wallet.pay')}</button>
    </form>
  </section>`;
}

const otherMethods = (others: readonly Html[]): Html =>
  html`<details>
    <summary>${text('wallet.other')}</summary>
    <div class="choices">${others}</div>
  </details>`;

function sentPayments(payments: readonly SentPayment[]): Html {
  const entries = payments.map(
    ({ network, currency, hash }) =>
      html`<li>${text('wallet.choice', { currency, network: textFor('network', network) })}: <code>${hash}</code></li>`,
  );
  return html`<section class="card">
    <h2>${text('wallet.sent')}</h2>
    <ul>
      ${entries}
    </ul>
  </section>`;
}

function webhookEntry({ delivery, genuine }: Webhook): Html {
  const { headers, receivedAt, body } = delivery;
  const verdict = genuine ? text('webhooks.valid') : text('webhooks.invalid');
  return html`<article class="webhook">
    <dl>
      <dt>${text('webhooks.event')}</dt>
      <dd><strong>${headers['x-service-event-type'] ?? ''}</strong></dd>
      <dt>${text('webhooks.signature')}</dt>
      <dd><strong class="signature" data-genuine="${genuine ? 'yes' : 'no'}">${verdict}</strong></dd>
      <dt>${text('webhooks.at')}</dt>
      <dd>${timeOfDay(receivedAt)}</dd>
      <dt>${text('webhooks.id')}</dt>
      <dd><code>${headers['x-service-event-id'] ?? ''}</code></dd>
    </dl>
    <details>
      <summary>${text('webhooks.body')}</summary>
      <pre tabindex="0">${body.toString('utf8')}</pre>
    </details>
  </article>`;
}

const refreshNote = (seconds: number): Html =>
  html`<p class="note">${text('order.refreshing', { seconds: String(seconds) })}</p>`;
