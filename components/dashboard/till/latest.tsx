// The latest sales of a till, below or beside its keypad. Pending ones can be reopened; each has a details page.

import { DateTime } from '@/components/ui/date-time';
import { Card } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { Money } from '@/components/ui/money';
import { unixSeconds } from '@/lib/platform/clock';
import type { Sale } from '@/lib/dashboard/payment/till';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { PaymentStatus } from '@/components/dashboard/payments/status';

type Props = { readonly words: DashboardWords; readonly base: string; readonly sales: readonly Sale[] };

export function LatestSales({ words: { t, format }, base, sales }: Props) {
  return (
    <Card title={t('tillLatest')} isFlush>
      {sales.length === 0 ? (
        <p className="px-4 pb-5 text-muted sm:px-5">{t('tillLatestNone')}</p>
      ) : (
        <ul>
          {sales.map((sale) => (
            <li
              key={sale.id}
              className="relative flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-t border-line px-4 py-3 hover:bg-hover sm:px-5"
            >
              <Link
                href={sale.status === 'pending' ? `${base}/till?sale=${sale.id}` : `${base}/payments/${sale.id}`}
                aria-label={t('tillShow', { amount: `${format.amount(sale.amount)} ${sale.currency}` })}
                className="min-w-0 font-semibold text-ink no-underline after:absolute after:inset-0"
              >
                <Money amount={sale.amount} currency={sale.currency} />
              </Link>
              <PaymentStatus status={sale.status} />
              <span className="flex w-full min-w-0 justify-between gap-3 text-[0.8125rem] text-muted">
                <bdi className="truncate">{sale.note ?? ''}</bdi>
                <span className="flex-none">
                  <DateTime at={unixSeconds(sale.createdAt)} inList />
                </span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
