// The columns of the page Reserves: where a token is held, up to which block, and what is owed of it.

import { Badge } from '@/components/ui/badge';
import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { networkName } from '@/components/operator/names';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { ReserveRow } from '@/lib/dashboard/operator/reserves';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

/** The complete amount is in the hover text. */
const SHOWN_DECIMALS = 2;

export function reserveColumns({ t, format }: DashboardWords): readonly Column<ReserveRow>[] {
  const held = heldCell({ t, format });
  return [
    {
      key: 'asset',
      header: t('operatorAsset'),
      onPhone: 'title',
      cell: ({ network, currency }) => (
        <span className="inline-grid">
          <span className="font-semibold">{currency}</span>
          <span className="whitespace-nowrap text-muted">{networkName(t, network)}</span>
        </span>
      ),
    },
    {
      key: 'cover',
      header: t('reservesCover'),
      onPhone: 'side',
      cell: ({ missing, currency }) =>
        missing === null ? (
          <Badge tone="good">{t('reservesCovered')}</Badge>
        ) : (
          <Badge tone="bad">{t('reservesMissing', { amount: `${shortText(missing)} ${currency}` })}</Badge>
        ),
    },
    {
      key: 'deposits',
      header: t('reservesDeposits'),
      isNumeric: true,
      cell: (row) => held(row.deposits, row.currency),
    },
    {
      key: 'refunds',
      header: t('reservesRefunds'),
      isNumeric: true,
      cell: (row) => held(row.refundWallet, row.currency),
    },
    { key: 'treasury', header: t('navTreasury'), isNumeric: true, cell: (row) => held(row.treasury, row.currency) },
    { key: 'cold', header: t('coldWallet'), isNumeric: true, cell: (row) => held(row.cold, row.currency) },
    {
      key: 'held',
      header: t('reservesHeld'),
      isNumeric: true,
      cell: (row) => <Money amount={shortText(row.held, SHOWN_DECIMALS)} currency={row.currency} />,
    },
    {
      key: 'owed',
      header: t('reservesOwed'),
      isNumeric: true,
      cell: (row) => <Money amount={shortText(row.owed, SHOWN_DECIMALS)} currency={row.currency} />,
    },
  ];
}

/** What a wallet holds, and up to which block; a dash where the network has no such wallet. */
export function heldCell({ t, format }: Pick<DashboardWords, 't' | 'format'>) {
  const cell = (place: ReserveRow['treasury'], currency: string) =>
    place === 'none' ? (
      <span className="text-muted">–</span>
    ) : place === null ? (
      <span className="text-muted">{t('reservesUnread')}</span>
    ) : (
      <span className="inline-grid justify-items-end" title={place.amount}>
        <Money amount={shortText(place.amount, SHOWN_DECIMALS)} currency={currency} />
        <span className="text-[0.8125rem] text-muted">
          {t('reservesBlock', { number: format.number(place.block) })}
        </span>
      </span>
    );
  return cell;
}
