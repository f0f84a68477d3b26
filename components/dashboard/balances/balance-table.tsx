// What a store has of each token on each network.

import { Network } from '@/components/dashboard/payments/status';
import { Empty } from '@/components/ui/card';
import { Money } from '@/components/ui/money';
import { Table, type Column } from '@/components/ui/table';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

/** Amounts are exact decimal text. */
type Row = {
  readonly network: string;
  readonly currency: string;
  readonly available: string;
  readonly unresolved: string;
  readonly setApart: string;
};

export function BalanceTable({ t, rows }: { t: DashboardWords['t']; rows: readonly Row[] }) {
  return (
    <Table
      label={t('navBalances')}
      rows={rows}
      rowKey={(row) => `${row.network} ${row.currency}`}
      columns={[
        {
          key: 'asset',
          header: t('balAsset'),
          onPhone: 'title',
          cell: (row) => (
            <span className="font-semibold">
              {row.currency} · <Network name={row.network} />
            </span>
          ),
        },
        amount('available', t('balPart_available')),
        amount('unresolved', t('balPart_unresolved')),
        amount('setApart', t('balPart_set_apart')),
      ]}
      empty={<Empty icon="balances" title={t('balNoneTitle')} text={t('balNoneText')} />}
    />
  );
}

const amount = (key: 'available' | 'unresolved' | 'setApart', header: string): Column<Row> => ({
  key,
  header,
  isNumeric: true,
  ...(key === 'available' && { onPhone: 'side' }),
  cell: (row) => <Money amount={row[key]} currency={row.currency} isMuted={row[key] === '0.00'} />,
});
