// A hit of the screening as a row: the address, who reported it, the payments that it freezes, and its release.

import { Address } from '@/components/ui/address';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { networkIn } from '@/components/operator/names';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { ScreeningHit } from '@/lib/dashboard/operator/screening/read';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';
import { ReleaseHit } from './release-hit';

export function hitColumns(words: DashboardWords, viewerId: string): readonly Column<ScreeningHit>[] {
  const { t } = words;
  return [
    {
      key: 'address',
      header: t('screeningAddress'),
      onPhone: 'title',
      cell: (row) => (
        <span className="grid">
          <Address text={row.address} />
          <span className="text-xs font-normal text-muted">
            {t(`screeningRole_${row.role}`)} · {networkIn(t, row)}
          </span>
        </span>
      ),
    },
    {
      key: 'source',
      header: t('screeningFoundBy'),
      onPhone: 'wide',
      cell: ({ source, entity, foundAt }) => (
        <span className="grid max-w-md gap-0.5">
          <span className="font-semibold break-words">{entity}</span>
          <span className="text-[0.8125rem] text-muted">
            <code>{source}</code> · <DateTime at={unixSeconds(foundAt)} />
          </span>
        </span>
      ),
    },
    {
      key: 'frozen',
      header: t('screeningFrozen'),
      cell: ({ role, payments, environment }) =>
        role === 'payee' ? (
          t('screeningFrozenPayee')
        ) : (
          <span className="grid gap-0.5">
            {payments.map((one) => (
              <Link
                key={one.sessionId}
                href={`/dashboard/${one.storeId}/${environment}/payments/${one.sessionId}`}
                className="py-0.5 text-accent"
              >
                <Money amount={shortText(one.amount)} currency={one.currency} /> · {one.storeName}
              </Link>
            ))}
          </span>
        ),
    },
    {
      key: 'actions',
      header: t('operatorDecide'),
      isHeaderHidden: true,
      isNumeric: true,
      cell: (row) => <ReleaseHit {...{ words, row, viewerId }} />,
    },
  ];
}
