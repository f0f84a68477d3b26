// Frozen money that a store's balance lacks, as a row.

import { networkIn } from '@/components/operator/names';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import type { Shortfall } from '@/lib/dashboard/operator/screening/short';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

export const shortColumns = ({ t }: DashboardWords): readonly Column<Shortfall>[] => [
  {
    key: 'store',
    header: t('operatorStore'),
    onPhone: 'title',
    cell: ({ storeId, storeName }) => (
      <Link href={`/operator/stores/${storeId}`} className="text-accent">
        {storeName}
      </Link>
    ),
  },
  { key: 'network', header: t('payNetwork'), cell: (row) => networkIn(t, row) },
  {
    key: 'amount',
    header: t('screeningShortAmount'),
    isNumeric: true,
    onPhone: 'side',
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    key: 'unsigned',
    header: t('screeningShortUnsigned'),
    isNumeric: true,
    cell: ({ unsigned, currency }) =>
      unsigned === null ? null : (
        <Link href="/operator/refunds?hold=screened" className="text-accent">
          <Money amount={unsigned} currency={currency} />
        </Link>
      ),
  },
];
