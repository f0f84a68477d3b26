// A sweep as a row of the list, and its status and transaction, which its own page shows too.

import { Badge, type Tone } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { Money } from '@/components/ui/money';
import { AboveRow, OneLine, type Column } from '@/components/ui/table';
import { networkName } from '@/components/operator/names';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { SweepRow } from '@/lib/dashboard/lists/sweeps';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';
import { Coins } from './network-facts';

type T = DashboardWords['t'];

const TONES: Readonly<Record<SweepRow['status'], Tone>> = {
  planned: 'info',
  signed: 'info',
  mined: 'info',
  final: 'good',
  reverted: 'bad',
  lapsed: 'plain',
  canceled: 'plain',
};

export const SweepBadge = ({ t, status }: { t: T; status: SweepRow['status'] }) => (
  <Badge tone={TONES[status]}>{t(`treasurySweepStatus_${status}`)}</Badge>
);

/** The start and the end of the hash, as a link where the network has an explorer. */
export function TransactionHash({ hash, url }: NonNullable<SweepRow['transaction']>) {
  if (url === null) return <OneLine text={hash} isMuted />;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="inline-block py-0.5 text-accent">
      <OneLine text={hash} />
    </a>
  );
}

export const movedText = ({ t, format }: DashboardWords, row: SweepRow): string =>
  row.movedAddresses === null
    ? t('treasuryAddresses', { count: row.addresses })
    : t('treasuryMovedOf', { moved: format.number(row.movedAddresses), count: row.addresses });

export function sweepColumns(words: DashboardWords): readonly Column<SweepRow>[] {
  const { t } = words;
  return [
    {
      key: 'kind',
      header: t('treasuryKind'),
      onPhone: 'title',
      cell: ({ kind, network }) => (
        <span className="grid">
          <span>{t(`treasuryKind_${kind}`)}</span>
          <span className="text-[0.8125rem] font-normal text-muted">{networkName(t, network)}</span>
        </span>
      ),
    },
    {
      key: 'status',
      header: t('payStatus'),
      onPhone: 'side',
      cell: ({ status }) => <SweepBadge {...{ t, status }} />,
    },
    {
      key: 'amount',
      header: t('operatorAmount'),
      isNumeric: true,
      onPhone: 'under',
      cell: ({ amount, currency }) =>
        amount !== null && currency !== null && <Money amount={shortText(amount, 2)} currency={currency} />,
    },
    {
      key: 'addresses',
      header: t('treasuryMoved'),
      isNumeric: true,
      isExtra: true,
      onPhone: 'hidden',
      cell: (row) => row.addresses > 0 && row.amount !== null && movedText(words, row),
    },
    {
      key: 'fee',
      header: t('treasuryFee'),
      isNumeric: true,
      isExtra: true,
      onPhone: 'hidden',
      cell: ({ fee, coin }) => fee !== null && <Coins amount={fee} coin={coin} />,
    },
    {
      key: 'transaction',
      header: t('operatorTransaction'),
      isExtra: true,
      onPhone: 'hidden',
      cell: ({ transaction }) =>
        transaction && (
          <AboveRow>
            <TransactionHash {...transaction} />
          </AboveRow>
        ),
    },
    {
      key: 'at',
      header: t('treasuryStarted'),
      isNumeric: true,
      onPhone: 'end',
      cell: ({ createdAt }) => <DateTime at={unixSeconds(createdAt)} inList />,
    },
  ];
}
