// The rows of a receipt: an amount, a time, and the items.

import type { ReactNode } from 'react';
import type { Words } from '@/lib/i18n/translate';
import type { Money } from '@/lib/payments/receipts/order';
import type { ReceiptItem } from '@/lib/payments/receipts/receipt';

export function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

export function Amount({ money, words }: { money: Money; words: Words }) {
  return <bdi>{`${words.amount(money.amount)} ${money.currency}`}</bdi>;
}

export function Time({ at, words }: { at: number; words: Words }) {
  return <bdi>{words.time(at)}</bdi>;
}

type Bought = {
  readonly items: readonly ReceiptItem[];
  /** The merchant's own text for the whole order. */
  readonly description: string | null;
  readonly total: Money;
};

/** The items, each with its price, and the total. An order without items is one line, by its description. */
export function Items({ items, description, total, words }: Bought & { readonly words: Words }) {
  const { t } = words;
  if (items.length === 0 && description === null) return null;
  return (
    <Row name={t('orderDetails')}>
      <ul className="receipt-items">
        {items.map(({ kind, name, quantity, ...money }, at) => (
          <li key={at}>
            <span>
              {quantity > 1 && <bdi dir="ltr">{t('itemTimes', { count: String(quantity) })}</bdi>}{' '}
              <bdi>{kind === 'item' ? name : t(kind)}</bdi>
            </span>
            <Amount money={money} words={words} />
          </li>
        ))}
        {items.length === 0 && (
          <li>
            <bdi>{description}</bdi>
            <Amount money={total} words={words} />
          </li>
        )}
        <li className="receipt-total">
          <span>{t('total')}</span>
          <Amount money={total} words={words} />
        </li>
      </ul>
    </Row>
  );
}
