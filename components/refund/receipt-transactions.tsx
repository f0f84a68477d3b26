// The transactions of a receipt: amount, time, and hash. The hash is short on the screen, with a button and a link. It
// is complete on paper and without scripts.

import { Address } from '@/components/ui/address';
import { CopyButton } from '@/components/ui/copy-button';
import type { Words } from '@/lib/i18n/translate';
import type { ReceiptTransaction } from '@/lib/payments/receipts/receipt';
import { Amount, Time } from './receipt-rows';

type Props = {
  readonly transactions: readonly ReceiptTransaction[];
  readonly words: Words;
  /** Whether each shows its time: not if the receipt's own date is that of its only transaction. */
  readonly isDated?: boolean;
};

export function Transactions({ transactions, words, isDated = true }: Props) {
  return (
    <ul>
      {transactions.map((one) => (
        <li key={`${one.network} ${one.hash}`}>
          <p>
            <Amount money={one} words={words} /> · {words.network(one.network).name}
          </p>
          {isDated && (
            <p>
              <Time at={one.at} words={words} />
            </p>
          )}
          <Hash transaction={one} words={words} />
          {one.addresses && <Addresses addresses={one.addresses} words={words} />}
        </li>
      ))}
    </ul>
  );
}

const SHORT_HASH = { start: 10, end: 8 };

function Hash({ transaction: { hash, explorerUrl }, words: { t } }: { transaction: ReceiptTransaction; words: Words }) {
  const [copy, copied, failed] = [t('copy'), t('copied'), t('copyFailed')];
  return (
    <p className="receipt-hash">
      <code className="hash-short" dir="ltr" translate="no" title={hash}>
        {hash.slice(0, SHORT_HASH.start)}…{hash.slice(-SHORT_HASH.end)}
      </code>
      <code className="hash-whole" dir="ltr" translate="no">
        {hash}
      </code>
      <CopyButton text={hash} words={{ copy, copied, failed, label: `${copy}: ${t('findLabel')}` }} />
      {explorerUrl !== null && (
        <a href={explorerUrl} target="_blank" rel="noopener noreferrer">
          {t('viewTransaction')}
        </a>
      )}
    </p>
  );
}

function Addresses({ addresses, words: { t } }: { addresses: { from: string; to: string }; words: Words }) {
  return (
    <dl className="receipt-addresses">
      <dt>{t('receiptFrom')}</dt>
      <dd>
        <Address text={addresses.from} />
      </dd>
      <dt>{t('receiptTo')}</dt>
      <dd>
        <Address text={addresses.to} />
      </dd>
    </dl>
  );
}
