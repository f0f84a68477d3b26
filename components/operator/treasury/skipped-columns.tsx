// A deposit address that the last sweep did not move as a row: why, and when the worker tries it again.

import { Address } from '@/components/ui/address';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import type { Column } from '@/components/ui/table';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { SkippedAddress } from '@/lib/dashboard/operator/treasury/skipped';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';

/** A reason of lib/sweeps/reasons.ts in words; the code itself where the catalogue has none. */
export function reasonText(t: DashboardWords['t'], reason: string): string {
  const key = `treasuryReason_${reason}` as 'treasuryReason_refused';
  return t.has(key) ? t(key) : reason;
}

export function skippedColumns({ t }: DashboardWords, environment: 'live' | 'test'): readonly Column<SkippedAddress>[] {
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
      key: 'amount',
      header: t('operatorAmount'),
      isNumeric: true,
      cell: ({ amount, currency }) => <Money amount={shortText(amount)} currency={currency} />,
    },
    { key: 'reason', header: t('operatorReason'), cell: ({ reason }) => reasonText(t, reason) },
    {
      key: 'next',
      header: t('treasuryNextTry'),
      isNumeric: true,
      cell: ({ nextAt }) => (nextAt ? <DateTime at={unixSeconds(nextAt)} inList /> : t('treasuryNextSweep')),
    },
  ];
}
