// The demo shop's page of its one item: picture, price, quantity and one button. Details for developers are collapsed.

import { page, PICTURE } from './frame';
import { html } from './html';
import { LANGUAGES, languageName, MAX_MUGS, PRICES } from './offer';
import { price, text } from './text';

export function itemPage(): string {
  const steps = (['item.step1', 'item.step2', 'item.step3'] as const).map((key) => html`<li>${text(key)}</li>`);
  const quantities = Array.from(
    { length: MAX_MUGS },
    (_, n) => html`<option value="${String(n + 1)}">${String(n + 1)}</option>`,
  );
  const currencies = Object.entries(PRICES).map(
    ([currency, cents]) =>
      html`<option value="${currency}">
        ${text('item.currencyText', { currency, price: price(cents, currency) })}
      </option>`,
  );
  const languages = LANGUAGES.map(
    (locale) => html`<option value="${locale}" lang="${locale}">${languageName(locale)}</option>`,
  );
  return page(
    text('item.name'),
    html`<section class="card item">
        ${PICTURE}
        <div>
          <h1>${text('item.name')}</h1>
          <p class="price">${price(PRICES.USD, 'USD')}</p>
          <p>${text('item.description')}</p>
          <p class="stock">${text('item.stock')}</p>
          <form method="post" action="/shop/buy">
            <div class="buy">
              <label>
                ${text('item.quantity')}
                <select name="quantity">
                  ${quantities}
                </select>
              </label>
              <button>${text('item.buy')}</button>
            </div>
            <details>
              <summary>${text('item.options')}</summary>
              <div class="choices">
                <label>
                  ${text('item.currency')}
                  <select name="currency">
                    ${currencies}
                  </select>
                </label>
                <label>
                  ${text('item.language')}
                  <select name="language">
                    <option value="">${text('item.languageOwn')}</option>
                    ${languages}
                  </select>
                </label>
              </div>
            </details>
          </form>
          <p class="note">${text('item.accepted')}</p>
        </div>
      </section>
      <details class="card">
        <summary>${text('item.how')}</summary>
        <ol>
          ${steps}
        </ol>
      </details>`,
  );
}
