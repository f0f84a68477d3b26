// What sessions are made of: addresses in stock, and sources of exchange rates.

import { Badge } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/clock';
import type { PoolFill, RateHealth } from '@/lib/dashboard/operator-health';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

export function PoolMeter({
  words: { t, format },
  one: { environment, held, size },
}: {
  words: DashboardWords;
  one: PoolFill;
}) {
  const name = t(environment === 'live' ? 'navLive' : 'navTest');
  const isLow = held * 4 < size;
  return (
    <div className="grid gap-1.5">
      <div className="flex items-baseline justify-between gap-3">
        <span className="font-semibold">{name}</span>
        <span className="text-[0.8125rem] text-muted tabular-nums">
          {t('operatorPoolFill', { held: format.number(held), size: format.number(size) })}
        </span>
      </div>
      <meter
        className="h-2.5 w-full"
        aria-label={`${t('operatorPool')} · ${name}`}
        min={0}
        max={size}
        low={size / 4}
        optimum={size}
        value={held}
      />
      {isLow && <p className="text-[0.8125rem] font-semibold text-warn">{t('operatorPoolLow')}</p>}
    </div>
  );
}

export const rateColumns = ({ t }: DashboardWords): readonly Column<RateHealth>[] => [
  { key: 'source', header: t('operatorSource'), onPhone: 'title', cell: ({ source }) => source },
  {
    key: 'state',
    header: t('operatorState'),
    onPhone: 'side',
    cell: ({ failures, answeredAt }) =>
      failures === 0 && answeredAt ? (
        <Badge tone="good">{t('operatorEndpoint_ok')}</Badge>
      ) : (
        <Badge tone={failures > 2 ? 'bad' : 'warn'}>{t('operatorEndpoint_failing')}</Badge>
      ),
  },
  {
    key: 'trouble',
    header: t('operatorMessage'),
    cell: ({ trouble }) => <span className="text-muted">{trouble ?? '—'}</span>,
  },
  {
    key: 'answered',
    header: t('operatorAnswered'),
    isNumeric: true,
    cell: ({ answeredAt }) => (answeredAt ? <DateTime at={unixSeconds(answeredAt)} inList /> : t('operatorNever')),
  },
];
