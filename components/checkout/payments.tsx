// The transfers that arrived, each with its confirmations or the reason why it does not count.

import { displayedWait } from '@/lib/payments/checkout/wallets/network-facts';
import { getWords, type Words } from '@/lib/i18n/translate';
import type { SeenPayment } from '@/lib/payments/checkout/payments';

type Props = {
  readonly seen: readonly SeenPayment[];
  /** Seconds between blocks per network, where known. */
  readonly blockSeconds: ReadonlyMap<string, number>;
};

export async function Payments({ seen, blockSeconds }: Props) {
  const words = await getWords();
  if (seen.length === 0) return null;
  return (
    <section className="payments" aria-labelledby="payments">
      <h2 id="payments" className="label">
        {words.t('payments')}
      </h2>
      <ul>
        {seen.map((payment, at) => (
          <Payment
            key={`${payment.transaction_hash}-${at}`}
            payment={payment}
            words={words}
            toGo={waitText(payment, blockSeconds, words)}
          />
        ))}
      </ul>
    </section>
  );
}

function Payment({ payment, words, toGo }: { payment: SeenPayment; words: Words; toGo: string | null }) {
  const { t, network } = words;
  const { name } = network(payment.network);
  return (
    <li className={payment.verdict === 'counts' ? 'payment' : 'payment payment-odd'}>
      <p className="payment-line">
        <bdi className="payment-amount">{`${payment.amount} ${payment.currency}`}</bdi>
        <span>{name}</span>
      </p>
      <p className="payment-line payment-state">
        <span>{stateText(payment, t)}</span>
        <TransactionLink payment={payment} label={t('viewTransaction')} />
      </p>
      {toGo !== null && <p className="hint payment-wait">{toGo}</p>}
    </li>
  );
}

/** The estimated time until a payment counts; null if it already counts, never will, or the block time is unknown. */
function waitText(payment: SeenPayment, blockSeconds: Props['blockSeconds'], { t }: Words): string | null {
  const seconds = blockSeconds.get(payment.network);
  if (payment.verdict !== 'counts' || payment.final || seconds === undefined) return null;
  const { unit, count } = displayedWait((payment.confirmations_required - payment.confirmations) * seconds);
  return t(unit === 'seconds' ? 'secondsToGo' : 'minutesToGo', { count });
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
