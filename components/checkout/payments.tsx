// The transfers that arrived, each with how sure it is or why it does not count.

import { getWords, type Words } from '@/lib/i18n/translate';
import type { SeenPayment } from '@/lib/sessions/checkout-payments';

export async function Payments({ seen }: { seen: readonly SeenPayment[] }) {
  const words = await getWords();
  if (seen.length === 0) return null;
  return (
    <section className="payments" aria-labelledby="payments">
      <h2 id="payments" className="label">
        {words.t('payments')}
      </h2>
      <ul>
        {seen.map((payment, at) => (
          <Payment key={`${payment.transaction_hash}-${at}`} payment={payment} words={words} />
        ))}
      </ul>
    </section>
  );
}

function Payment({ payment, words }: { payment: SeenPayment; words: Words }) {
  const { t, amount, network } = words;
  const { name } = network(payment.network);
  const counts = payment.verdict === 'counts';
  return (
    <li className={counts ? 'payment' : 'payment payment-odd'}>
      <p className="payment-line">
        <bdi className="payment-amount">{`${amount(payment.amount)} ${payment.currency}`}</bdi>
        <span>{name}</span>
      </p>
      <p className="payment-line payment-state">
        <span>{stateText(payment, t)}</span>
        <TransactionLink payment={payment} label={t('viewTransaction')} />
      </p>
      {counts && !payment.final && (
        <progress
          value={payment.confirmations}
          max={payment.confirmations_required}
          aria-label={stateText(payment, t)}
        />
      )}
    </li>
  );
}

function stateText(payment: SeenPayment, t: Words['t']): string {
  if (payment.verdict === 'orphaned') return t('takenBack');
  if (payment.verdict !== 'counts') return t('notCounted');
  if (payment.final) return t('confirmed');
  return t('confirmations', { count: payment.confirmations, required: payment.confirmations_required });
}

const SHORT_HASH = { start: 10, end: 8 };

function TransactionLink({ payment, label }: { payment: SeenPayment; label: string }) {
  const hash = payment.transaction_hash;
  const short = (
    <code dir="ltr" translate="no" title={hash}>
      {hash.slice(0, SHORT_HASH.start)}…{hash.slice(-SHORT_HASH.end)}
    </code>
  );
  if (payment.explorer_url === null) return short;
  return (
    <a href={payment.explorer_url} target="_blank" rel="noopener noreferrer" aria-label={label}>
      {short}
    </a>
  );
}
