// The page on which a person makes things go wrong and undoes that. Complete without scripts.

import { html, type Html } from '../shop/html';
import { text, textFor } from '../shop/text';
import { SWITCHES, type Blocked, type NetworkFaults, type Switch } from './bad-day';

export const badDayPage = (networks: readonly NetworkFaults[]): string =>
  frame(
    html`<section class="card">
        <h1>${text('bad.title')}</h1>
        <p>${text('bad.text')}</p>
        <p class="links">
          <a href="/operator/treasury">${text('bad.treasury')}</a>
          <a href="/shop">${text('bad.shop')}</a>
          <a href="/sandbox/mail">${text('bad.mail')}</a>
        </p>
      </section>
      ${networks.map(card)}`,
  );

export const badDayFault = (message: string): string =>
  frame(
    html`<section class="card">
      <h1>${text('fault.title')}</h1>
      <p>${message}</p>
      <p><a href="/sandbox">${text('bad.back')}</a></p>
    </section>`,
  );

const frame = (content: Html): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${text('bad.title')} · ${text('bad.sandbox')}</title>
        <link rel="stylesheet" href="/shop/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <p class="demo">${text('bad.band')}</p>
        <header><a href="/sandbox">${text('bad.sandbox')}</a></header>
        <main>${content}</main>
      </body>
    </html>`.markup;

function card(one: NetworkFaults): Html {
  const { network, hasEnergy, blocked, switches } = one;
  const name = textFor('network', network);
  const offered = SWITCHES.filter((what) => what !== 'energy_gone' || hasEnergy);
  return html`<section class="card" aria-label="${name}">
    <h2>${name}</h2>
    ${offered.map((what) => switchForm(network, what, switches.has(what)))}
    ${blocked.map((account) => unblockForm(network, account))} ${blockForm(one)}
  </section>`;
}

function switchForm(network: string, what: Switch, isOn: boolean): Html {
  return form(
    { network, fault: what, is_on: isOn ? 'no' : 'yes' },
    html`<p>${text(isOn ? `bad.${what}.on` : `bad.${what}.text`)}</p>
      <button>${text(isOn ? `bad.${what}.undo` : `bad.${what}.do`)}</button>`,
  );
}

const unblockForm = (network: string, { currency, address }: Blocked): Html =>
  form(
    { network, fault: 'blocked', currency, address, is_on: 'no' },
    html`<p>${text('bad.blocked.on', { currency })} <code>${address}</code></p>
      <button>${text('bad.blocked.undo')}</button>`,
  );

function blockForm({ network, currencies }: NetworkFaults): Html {
  const options = currencies.map((currency) => html`<option>${currency}</option>`);
  return form(
    { network, fault: 'blocked', is_on: 'yes' },
    html`<p>${text(network === 'solana' ? 'bad.blocked.textSolana' : 'bad.blocked.text')}</p>
      <label>
        ${text('bad.blocked.token')}
        <select name="currency">
          ${options}
        </select>
      </label>
      <label>
        ${text('bad.blocked.address')}
        <input name="address" required autocomplete="off" spellcheck="false" />
      </label>
      <button>${text('bad.blocked.do')}</button>`,
  );
}

function form(fields: Readonly<Record<string, string>>, content: Html): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return html`<form class="fault" method="post" action="/sandbox/bad-day">${hidden} ${content}</form>`;
}
