// What is paid for and who is paid. Names and descriptions come from the merchant: they are plain text, each isolated
// so that its writing direction cannot rearrange the text beside it.

import { StoreMark } from '@/components/ui/store-mark';
import { minorDigits } from '@/lib/money/currencies';
import { getWords, type Words } from '@/lib/i18n/translate';
import { logoOf } from '@/lib/merchants/branding/logo-columns';
import { minorUnitsToText } from '@/lib/money/amounts';
import type { CheckoutFacts, LineItem } from '@/lib/payments/checkout/facts';

/** The payee. The heading holds the price for screen readers; on the screen it is next to the amount. */
export async function StoreHead({ facts }: { facts: CheckoutFacts }) {
  const words = await getWords();
  const { t } = words;
  return (
    <header className="store">
      <StoreMark name={facts.store_name} logo={logoOf(facts.branding)} />
      <p className="store-name">
        <bdi>{facts.store_name}</bdi>
        {facts.environment === 'test' && (
          <span className="badge" title={t('testExplained')}>
            {t('testBadge')}
          </span>
        )}
      </p>
      <h1 className="only-read">
        {t.rich('payStore', { store: () => <bdi>{facts.store_name}</bdi> })} <bdi>{orderPrice(facts, words)}</bdi>
      </h1>
    </header>
  );
}

/** What is paid for. */
export async function Order({ facts }: { facts: CheckoutFacts }) {
  const words = await getWords();
  return (
    <section className="summary" aria-label={words.t('orderDetails')}>
      <p className="order-price">
        <span className="label">{words.t('total')}</span> <bdi className="price">{orderPrice(facts, words)}</bdi>
      </p>
      {facts.description && (
        <p className="description">
          <bdi>{facts.description}</bdi>
        </p>
      )}
      {facts.line_items && facts.line_items.length > 0 && (
        <Items facts={facts} items={facts.line_items} words={words} />
      )}
    </section>
  );
}

/** The price for display: `44.80 EUR`. */
export const orderPrice = ({ amount_total, currency }: CheckoutFacts, words: Words): string =>
  priced(amount_total, currency, words);

type ItemsProps = { readonly facts: CheckoutFacts; readonly items: readonly LineItem[]; readonly words: Words };

function Items({ facts, items, words }: ItemsProps) {
  const { t } = words;
  const rows = [
    ...items.map(({ quantity = 1, price_data }) => ({
      name: price_data.product_data.name,
      times: quantity > 1 ? t('itemTimes', { count: String(quantity) }) : null,
      cents: BigInt(price_data.unit_amount) * BigInt(quantity),
    })),
    ...extra(t('tax'), facts.tax_amount),
    ...extra(t('shipping'), facts.shipping_amount),
  ];
  return (
    <details className="items fold">
      <summary>{t('orderDetails')}</summary>
      <ul>
        {rows.map((row, at) => (
          <li key={at}>
            <span>
              {row.times && (
                // Follows the page's direction; otherwise a right-to-left reader meets the sign before the number.
                <span className="muted">{row.times}</span>
              )}{' '}
              <bdi>{row.name}</bdi>
            </span>
            <bdi>{priced(row.cents, facts.currency, words)}</bdi>
          </li>
        ))}
        <li className="items-total">
          <span>{t('total')}</span>
          <bdi>{priced(facts.amount_total, facts.currency, words)}</bdi>
        </li>
      </ul>
    </details>
  );
}

const extra = (name: string, cents: string | null) =>
  cents === null || cents === '0' ? [] : [{ name, times: null, cents: BigInt(cents) }];

/** USDT and USDC are not ISO 4217 currencies, but have cents as USD does. */
const CENT_DIGITS = 2;

/** Tokens are written as they are typed into wallets, so that a page never shows `1234.50` beside `1.234,50`. */
function priced(units: bigint | string, currency: string, { amount }: Words): string {
  const digits = minorDigits(currency);
  const text = minorUnitsToText(BigInt(units), digits ?? CENT_DIGITS);
  return `${digits === null ? text : amount(text)} ${currency}`;
}
