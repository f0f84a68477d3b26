// The facts of one payout: who requested it, the address that it goes to, its times, its costs, and its transaction.

import { Hash } from '@/components/dashboard/payments/hash';
import { Network } from '@/components/dashboard/payments/status';
import { Address } from '@/components/ui/address';
import { Badge } from '@/components/ui/badge';
import { Card, Fact, Facts } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { Money } from '@/components/ui/money';
import type { PayoutDetail } from '@/lib/dashboard/payouts/payout';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

type Props = { readonly words: DashboardWords; readonly payout: PayoutDetail };

export function PayoutFactsCard({ words, payout }: Props) {
  const { t } = words;
  const { currency, requestedBy, signedAt, processedAt, status, fee, networkCost, transaction } = payout;
  return (
    <Card title={t('payFacts')}>
      <Facts>
        <Fact name={t('pouOne')}>
          <CopyText text={payout.payoutId} label={t('pouOne')} />
        </Fact>
        <Fact name={t('payAmount')}>
          <Money amount={payout.amount} currency={currency} />
        </Fact>
        <Fact name={t('payNetwork')}>
          <Network name={payout.network} />
        </Fact>
        {requestedBy !== null && <Fact name={t('pouRequestedBy')}>{requesterText(words, requestedBy)}</Fact>}
        <Fact name={t('pouStatus_pending')}>
          <DateTime at={payout.createdAt} isExact />
        </Fact>
        {signedAt !== null && (
          <Fact name={t('refAttempt_signed')}>
            <DateTime at={Math.floor(signedAt)} isExact />
          </Fact>
        )}
        {processedAt !== null && (
          <Fact name={t(`pouStatus_${status}`)}>
            <DateTime at={processedAt} isExact />
          </Fact>
        )}
        <Fact name={t('refDestination')}>
          <Destination {...{ words, payout }} />
        </Fact>
        {transaction !== null && (
          <Fact name={t('payHash')}>
            <Hash {...transaction} />
          </Fact>
        )}
        {fee !== null && (
          <Fact name={t('balKind_payout_fee')}>
            <Money amount={fee} currency={currency} />
          </Fact>
        )}
        <Fact name={t('refCost')}>
          {networkCost === null ? t('refCostOperator') : <Money amount={networkCost} currency={currency} />}
        </Fact>
        {payout.description !== null && <Fact name={t('refDescription')}>{payout.description}</Fact>}
      </Facts>
    </Card>
  );
}

function requesterText({ t }: DashboardWords, by: NonNullable<PayoutDetail['requestedBy']>): string {
  switch (by.kind) {
    case 'schedule':
      return t('pouBy_schedule');
    case 'key':
      return t('pouBy_key', { name: by.name });
    case 'member':
      return by.name;
  }
}

/** One of the store's payout addresses, and how it became one. */
function Destination({ words: { t, format }, payout: { destination, address } }: Props) {
  if (destination === null) return <span className="text-muted">{t('refNoDestination')}</span>;
  return (
    <div className="grid justify-items-start gap-1.5">
      <Address text={destination} />
      {address !== null && (
        <span className="flex flex-wrap items-center gap-2 text-[0.8125rem] text-muted">
          {t('padAddedBy', { time: format.minute(Math.floor(address.createdAt)), name: address.creator ?? '—' })}
          {address.isSigned && <Badge tone="good">{t('padProven')}</Badge>}
          {address.isContract && <Badge>{t('padContract')}</Badge>}
        </span>
      )}
    </div>
  );
}
