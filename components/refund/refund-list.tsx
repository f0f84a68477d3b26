// The refunds of a payment as far as the customer may know them: amount, progress, and the receipt of each sent one.

import { getWords, type Words } from '@/lib/i18n/translate';
import type { RefundState, ShownRefund } from '@/lib/payments/checkout/refunds';

export async function RefundList({ refunds }: { refunds: readonly ShownRefund[] }) {
  const words = await getWords();
  const { t, amount } = words;
  if (refunds.length === 0) return null;
  return (
    <section className="payments" aria-labelledby="refunds">
      <h2 id="refunds" className="label">
        {t('refunds')}
      </h2>
      <ul>
        {refunds.map((refund, at) => (
          <li key={at} className="payment" data-refund={refund.state}>
            <p className="payment-line">
              <bdi className="payment-amount">{`${amount(refund.amount)} ${refund.currency}`}</bdi>
              <span>{words.network(refund.network).name}</span>
            </p>
            <p className="payment-line payment-state">
              <span>{refundStateText(refund.state, t)}</span>
              {refund.receipt_number !== null && <a href={`/receipt/${refund.receipt_number}`}>{t('receipt')}</a>}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function refundStateText(state: RefundState, t: Words['t']): string {
  switch (state) {
    case 'underway':
      return t('refundUnderway');
    case 'waits':
      return t('refundWaitsForAddress');
    case 'sent':
      return t('refundSent');
    case 'failed':
      return t('refundFailed');
    case 'canceled':
      return t('refundCanceled');
  }
}
