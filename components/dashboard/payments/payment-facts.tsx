'use client';
// The facts of one payment: names, amounts, products, addresses, and received transfers.

import { Badge } from '@/components/ui/badge';
import { Card, Fact, Facts } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { Icon } from '@/components/ui/icon';
import { Money } from '@/components/ui/money';
import { useWords } from '@/components/ui/words';
import type { PaymentView, TransferView } from '@/lib/dashboard/payment/payment';
import { Hash } from './hash';
import { shortened } from '@/components/ui/shortened';
import { useNetworkName } from './status';

export function PaymentFactsCard({ payment }: { payment: PaymentView }) {
  const { t } = useWords();
  const network = useNetworkName();
  const token = payment.paid?.currency ?? payment.currencies.join(' / ');
  return (
    <Card title={t('payFacts')}>
      <Facts>
        <Fact name={t('paySession')}>
          <CopyText text={payment.id} label={t('paySession')} />
        </Fact>
        <Fact name={t('payCreated')}>
          <DateTime at={Math.floor(payment.created_at)} isExact />
        </Fact>
        <Fact name={t(payment.closed_at === null ? 'payExpires' : 'payClosed')}>
          <DateTime at={Math.floor(payment.closed_at ?? payment.expires_at)} isExact />
        </Fact>
        <Fact name={t('payPrice')}>
          <Money amount={payment.amount} currency={payment.currency} />
          {payment.exchange_rate !== null && (
            <span className="text-muted">
              {' '}
              · <Money amount={payment.due} currency={token} /> ·{' '}
              <bdi>{t('payRate', { rate: payment.exchange_rate })}</bdi>
            </span>
          )}
        </Fact>
        <Fact name={t('payReceived')}>
          <Money amount={payment.received} currency={token} />
        </Fact>
        {payment.refunded !== '0.00' && (
          <Fact name={t('payRefunded')}>
            <Money amount={payment.refunded} currency={token} />
          </Fact>
        )}
        {payment.paid && (
          <Fact name={t('payPaidWith')}>
            {payment.paid.currency} · {network(payment.paid.network)}
          </Fact>
        )}
        {payment.refundAddress !== null && (
          <Fact name={t('payRefundAddress')}>
            <CopyText text={payment.refundAddress} label={t('payRefundAddress')} />
            <span className="block text-xs text-muted">
              {t(payment.isAddressSigned ? 'refDestination_signed' : 'refDestination_claim')}
            </span>
          </Fact>
        )}
        {payment.description !== null && <Fact name={t('payDescription')}>{payment.description}</Fact>}
        {payment.items.length > 0 && (
          <Fact name={t('payItems')}>
            <ul className="m-0 grid list-none gap-1 p-0">
              {payment.items.map((item, index) => (
                // Items of a payment never change.
                <li key={index} className="flex flex-wrap justify-between gap-x-4">
                  <span className="min-w-0 break-words">
                    {item.quantity} × <bdi>{item.name}</bdi>
                  </span>
                  <Money amount={item.amount} currency={payment.currency} />
                </li>
              ))}
            </ul>
          </Fact>
        )}
        {payment.tax !== null && (
          <Fact name={t('payTax')}>
            <Money amount={payment.tax} currency={payment.currency} />
          </Fact>
        )}
        {payment.shipping !== null && (
          <Fact name={t('payShipping')}>
            <Money amount={payment.shipping} currency={payment.currency} />
          </Fact>
        )}
        <Fact name={t('payAddresses')}>
          <Addresses payment={payment} />
        </Fact>
        {payment.metadata !== null && Object.keys(payment.metadata).length > 0 && (
          <Fact name={t('payMetadata')}>
            <ul className="m-0 grid list-none gap-0.5 p-0 text-[0.8125rem]">
              {Object.entries(payment.metadata).map(([key, value]) => (
                <li key={key} className="break-words">
                  <code>{key}</code>: {value}
                </li>
              ))}
            </ul>
          </Fact>
        )}
      </Facts>
    </Card>
  );
}

/** Once something arrived, only the addresses that received it are visible. */
function Addresses({ payment: { addresses, transfers } }: { payment: PaymentView }) {
  const { format } = useWords();
  const network = useNetworkName();
  const used = addresses.filter(({ networks }) => transfers.some((one) => networks.includes(one.network)));
  const others = addresses.filter((one) => !used.includes(one));
  if (used.length === 0 || others.length === 0) return <AddressList addresses={addresses} />;
  return (
    <div className="grid gap-1">
      <AddressList addresses={used} />
      <details className="group">
        <summary className="inline-flex items-center gap-1 py-1 text-[0.8125rem] text-muted hover:text-ink">
          <Icon name="down" size={14} className="group-open:rotate-180" />
          {format.list(others.flatMap(({ networks }) => networks).map(network))}
        </summary>
        <AddressList addresses={others} />
      </details>
    </div>
  );
}

function AddressList({ addresses }: Pick<PaymentView, 'addresses'>) {
  const { t, format } = useWords();
  const network = useNetworkName();
  return (
    <ul className="m-0 grid list-none gap-1 p-0">
      {addresses.map(({ networks, address }) => (
        <li key={address}>
          <span className="text-[0.8125rem] text-muted">{format.list(networks.map(network))}</span>
          <br />
          <CopyText text={address} label={t('payAddress')} />
        </li>
      ))}
    </ul>
  );
}

export function TransferList({ transfers }: { transfers: readonly TransferView[] }) {
  const { t } = useWords();
  const network = useNetworkName();
  if (transfers.length === 0) return <p className="text-muted">{t('payNoTransfers')}</p>;
  return (
    <ul className="m-0 grid list-none gap-4 p-0">
      {transfers.map((one) => (
        <li
          key={`${one.transaction_hash}-${one.ordinal}`}
          className="grid gap-1.5 border-b border-line pb-4 last:border-b-0 last:pb-0"
        >
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-semibold">
              <Money amount={one.amount} currency={one.currency} />
            </span>
            <span className="text-muted">{network(one.network)}</span>
            {one.final ? (
              <Badge tone="good">{t('payFinal')}</Badge>
            ) : (
              one.orphaned_at === null && (
                <Badge tone="info">
                  {t('tlConfirmations', { count: one.confirmations, of: one.confirmationsRequired })}
                </Badge>
              )
            )}
            {one.objection !== null && <Badge tone="warn">{t(`payObjection_${one.objection}`)}</Badge>}
          </div>
          <Hash hash={one.transaction_hash} explorerUrl={one.explorerUrl} />
          <p className="flex items-center gap-x-1.5 text-[0.8125rem] text-muted">
            {t('payFromAddress')} <CopyText text={one.payer} shown={shortened(one.payer)} label={t('payFromAddress')} />
          </p>
        </li>
      ))}
    </ul>
  );
}
