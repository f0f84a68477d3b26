// The demo shop's pages as HTML. They are complete without scripts; everything shown comes in as an argument.

import type { PaymentSession } from '@stabletill/sdk';
import type { Received } from '../receiver/inbox';
import { html, type Html } from './html';
import type { PublicStatus } from './merchant';
import type { Order, SentPayment } from './orders';
import { price, text, textFor, timeOfDay } from './text';

export type Item = { readonly cents: bigint; readonly currency: string };
export type Webhook = { readonly delivery: Received; readonly genuine: boolean };
export type OrderView = {
  readonly item: Item;
  readonly order: Order;
  readonly session: PaymentSession;
  readonly status: PublicStatus;
  readonly webhooks: readonly Webhook[];
  /** Seconds after which the page shows itself anew, or null when nothing is awaited. */
  readonly refreshSeconds: number | null;
};

export function itemPage({ cents, currency }: Item): string {
  const steps = (['item.step1', 'item.step2', 'item.step3'] as const).map((key) => html`<li>${text(key)}</li>`);
  return page(
    text('item.name'),
    html`<section class="card item">
        ${MUG}
        <div>
          <h1>${text('item.name')}</h1>
          <p>${text('item.description')}</p>
          <p class="price"><span class="label">${text('item.price')}</span> ${price(cents, currency)}</p>
          <form method="post" action="/shop/buy"><button>${text('item.buy')}</button></form>
        </div>
      </section>
      <section class="card">
        <h2>${text('item.how')}</h2>
        <ol>
          ${steps}
        </ol>
      </section>`,
  );
}

export function orderPage(view: OrderView): string {
  const { order, session, status, item, webhooks, refreshSeconds } = view;
  const title = text('order.title', { order: order.id });
  // While a payment is on its way nobody should be led to pay again.
  const payable = session.status === 'PENDING' && status.methods.length > 0 && refreshSeconds === null;
  const received = text('order.receivedOf', { received: status.amount_received, due: status.amount_due });
  return page(
    title,
    html`<section class="card">
        <h1>${title}</h1>
        <dl>
          <dt>${text('order.item')}</dt>
          <dd>${text('item.name')}, ${price(item.cents, item.currency)}</dd>
          <dt>${text('order.status')}</dt>
          <dd>
            <strong class="status" data-status="${session.status}">${textFor('order.status', session.status)}</strong>
          </dd>
          <dt>${text('order.received')}</dt>
          <dd>${received}</dd>
          <dt>${text('order.session')}</dt>
          <dd><code>${session.id}</code></dd>
        </dl>
        <p class="links">
          <a href="${order.url}">${text('order.hostedPage')}</a>
          <a href="/shop/orders/${order.id}">${text('order.refresh')}</a>
          <a href="/shop">${text('order.again')}</a>
        </p>
        ${refreshSeconds === null ? null : refreshNote(refreshSeconds)}
      </section>
      ${payable ? walletForm(order, status) : null} ${order.payments.length > 0 ? sentPayments(order.payments) : null}
      <section class="card">
        <h2>${text('webhooks.title')}</h2>
        ${webhooks.length > 0 ? webhooks.map(webhookEntry) : html`<p>${text('webhooks.none')}</p>`}
      </section>`,
    refreshSeconds,
  );
}

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
  const choices = methods.map(
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
        ${choices}
      </fieldset>
      <button>${text('wallet.pay')}</button>
    </form>
  </section>`;
}

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

function page(title: string, content: Html, refreshSeconds: number | null = null): string {
  const refresh =
    refreshSeconds === null ? null : html`<meta http-equiv="refresh" content="${String(refreshSeconds)}" />`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        ${refresh}
        <title>${title} · ${text('shop.name')}</title>
        <link rel="stylesheet" href="/shop/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <header>
          <a href="/shop">${text('shop.name')}</a>
          <p>${text('shop.demo')}</p>
        </header>
        <main>${content}</main>
      </body>
    </html>`.markup;
}

const MUG = html`<svg class="mug" viewBox="0 0 120 120" aria-hidden="true">
  <path d="M82 46h12a14 14 0 0 1 14 14v6a18 18 0 0 1-18 18h-8" fill="none" stroke="currentColor" stroke-width="8" />
  <path d="M18 34h66v50a18 18 0 0 1-18 18H36a18 18 0 0 1-18-18z" fill="currentColor" />
  <path
    d="M36 24c-4-5 4-8 0-14M51 24c-4-5 4-8 0-14M66 24c-4-5 4-8 0-14"
    fill="none"
    stroke="currentColor"
    stroke-width="3"
    stroke-linecap="round"
    opacity=".45"
  />
</svg>`;
