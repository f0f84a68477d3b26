// The columns of the page Costs: what transactions took in a month on a network.

import type { Column } from '@/components/ui/table';
import { networkName } from '@/components/operator/names';
import type { CostRow } from '@/lib/dashboard/operator/treasury/costs';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { Coins } from './network-facts';

type Amount = 'networkFees' | 'rentPaid' | 'rentReturned' | 'energy';

const amount = (key: Amount, header: string): Column<CostRow> => ({
  key,
  header,
  isNumeric: true,
  cell: (row) =>
    Number(row[key]) === 0 ? <span className="text-muted">–</span> : <Coins amount={row[key]} coin={row.coin} />,
});

export function costColumns({ t, format }: DashboardWords): readonly Column<CostRow>[] {
  return [
    {
      key: 'month',
      header: t('stmPeriod'),
      onPhone: 'title',
      cell: ({ month, network }) => (
        <span className="inline-grid">
          <span className="font-semibold">{format.month(Date.parse(`${month}-01T00:00:00Z`) / 1000)}</span>
          <span className="whitespace-nowrap text-muted">{networkName(t, network)}</span>
        </span>
      ),
    },
    { key: 'entries', header: t('costsEntries'), isNumeric: true, cell: ({ entries }) => format.number(entries) },
    amount('networkFees', t('costsFees')),
    amount('rentPaid', t('costsRentPaid')),
    amount('rentReturned', t('costsRentReturned')),
    amount('energy', t('costsEnergy')),
  ];
}
