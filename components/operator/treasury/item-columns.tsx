// A deposit address of one sweep as a row: what it held, what was moved, and why not.

import { Address } from '@/components/ui/address';
import { Badge } from '@/components/ui/badge';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { SweepItem, SweepView } from '@/lib/dashboard/lists/sweeps';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { reasonText } from './skipped-columns';

export function itemColumns(
  { t }: DashboardWords,
  { environment, kind }: Pick<SweepView, 'environment' | 'kind'>,
): readonly Column<SweepItem>[] {
  const result = ({ moved, reason }: SweepItem) => {
    if (moved === null) return <Badge tone="info">{t('treasurySweepOpen')}</Badge>;
    if (reason === null) return <Badge tone="good">{t('treasuryMovedWord')}</Badge>;
    return reasonText(t, reason);
  };
  return [
    {
      key: 'address',
      header: t('treasuryAddress'),
      onPhone: 'title',
      cell: ({ address, storeId, sessionId }) => (
        <Link
          href={`/dashboard/${storeId}/${environment}/payments/${sessionId}`}
          className="inline-block py-0.5 text-ink no-underline hover:underline"
        >
          <Address text={address} />
        </Link>
      ),
    },
    {
      key: 'held',
      header: t('treasuryHeld'),
      isNumeric: true,
      cell: ({ amount, currency }) => <Money amount={shortText(amount)} currency={currency} />,
    },
    ...(kind !== 'batch' && kind !== 'transfer'
      ? []
      : [
          {
            key: 'moved',
            header: t('treasuryMovedWord'),
            isNumeric: true,
            cell: ({ moved, currency }: SweepItem) =>
              moved !== null && <Money amount={shortText(moved)} currency={currency} />,
          },
        ]),
    { key: 'result', header: t('treasuryResult'), cell: result },
  ];
}
