// The page on which a person makes things go wrong and undoes that. Complete without scripts.

import { html, type Html } from '../shop/html';
import { text, textFor } from '../shop/text';
import type { Blocked, CommonFault, NetworkFaults, Switch } from './bad-day';
import { GAME_DAYS, type GameDay } from './game-day';

export const badDayPage = (networks: readonly NetworkFaults[], common: ReadonlySet<CommonFault>): string =>
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
      <section class="card" aria-label="${text('game.title')}">
        <h2>${text('game.title')}</h2>
        <p>${text('game.text')}</p>
        ${GAME_DAYS.map((day) => gameDay(day, networks, common))}
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

function gameDay(day: GameDay, networks: readonly NetworkFaults[], common: ReadonlySet<CommonFault>): Html {
  const files = day.runbooks.map((name) => html`<code>docs/operate/runbooks/${name}.md</code> `);
  const head = html`<h3>${text(`game.${day.name}`)}</h3>`;
  const runbook = html`<p class="note">${text('game.runbook')} ${files}</p>`;
  if (!('fault' in day)) {
    const drill = 'drill' in day ? html`<p><code>npm run drill -- ${day.drill}</code></p>` : null;
    return html`<div class="fault">
      ${head}
      <p>${text(`game.${day.instead}.text`)}</p>
      ${drill} ${runbook}
    </div>`;
  }
  const { fault } = day;
  const at = 'network' in day ? networks.find((one) => one.network === day.network) : undefined;
  const isOn = 'network' in day ? (at?.switches.has(day.fault) ?? false) : common.has(day.fault);
  const where = 'network' in day ? { network: day.network } : {};
  return form(
    { ...where, fault, is_on: isOn ? 'no' : 'yes' },
    html`${head}
      <p>${text(isOn ? `bad.${fault}.on` : `bad.${fault}.text`)}</p>
      <button>${text(isOn ? `bad.${fault}.undo` : `bad.${fault}.do`)}</button>
      ${runbook}`,
  );
}

function card(one: NetworkFaults): Html {
  const { network, offered, blocked, switches } = one;
  const name = textFor('network', network);
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
