// The rows of a receipt that hold money: an amount, and what was bought.

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

/** What was bought, each with what it cost. */
export function Items({ items, words }: { items: readonly ReceiptItem[]; words: Words }) {
  const { t } = words;
  if (items.length === 0) return null;
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
      </ul>
    </Row>
  );
}
