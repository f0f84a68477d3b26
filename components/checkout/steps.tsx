// The progress of a payment: seen, confirmations, paid. For a partial payment, the part of the price that arrived.

import { getWords } from '@/lib/i18n/translate';
import type { SeenPayment } from '@/lib/payments/checkout/payments';

/** From the unconfirmed transfer to the paid order. The bar shows the slowest transfer. */
export async function Steps({ seen }: { seen: readonly SeenPayment[] }) {
  const { t } = await getWords();
  const slowest = seen.filter(({ verdict, final }) => verdict === 'counts' && !final).toSorted(byConfirmedShare)[0];
  const { confirmations, confirmations_required: required } = slowest ?? {
    confirmations: 1,
    confirmations_required: 1,
  };
  const text = slowest ? t('confirmations', { count: confirmations, required }) : t('confirmed');
  return (
    <ol className="steps">
      <li className="step-done">{t('stepSeen')}</li>
      <li>
        <progress value={confirmations} max={required} aria-label={text} />
        {text}
      </li>
      <li>{t('statusPaid')}</li>
    </ol>
  );
}

const share = ({ confirmations, confirmations_required }: SeenPayment): number =>
  confirmations / confirmations_required;

const byConfirmedShare = (one: SeenPayment, other: SeenPayment): number => share(one) - share(other);

type PartProps = { readonly received: string; readonly due: string; readonly currency: string; readonly label: string };

export function Part({ received, due, currency, label }: PartProps) {
  return (
    <p className="part">
      <progress value={received} max={due} aria-label={label} />
      <bdi dir="ltr">{`${received} / ${due} ${currency}`}</bdi>
    </p>
  );
}
