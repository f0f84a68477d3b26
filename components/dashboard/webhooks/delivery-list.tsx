'use client';
// The deliveries of a page, with a tick at each for sending several again at once.

import type { ReactNode } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { DateTime } from '@/components/ui/date-time';
import { Link } from '@/components/ui/link';
import { Table, type Column } from '@/components/ui/table';
import { TickAll, TickBar, tickColumn, useTicks } from '@/components/ui/ticks';
import { useToast } from '@/components/ui/toast';
import { useWords } from '@/components/ui/words';
import type { DeliveryRow } from '@/lib/dashboard/lists/deliveries';
import { DeliveryState } from '@/components/dashboard/payments/status';
import { useAction } from '@/components/dashboard/use-action';
import { useOutcomeText } from './outcome';

type Props = {
  readonly rows: readonly DeliveryRow[];
  readonly api: string;
  readonly base: string;
  readonly canResend: boolean;
  readonly empty: ReactNode;
  readonly foot: ReactNode;
};

export function DeliveryList({ rows, api, base, canResend, empty, foot }: Props) {
  const { t } = useWords();
  const toast = useToast();
  const outcome = useOutcomeText();
  const ticks = useTicks(rows.map(({ id }) => id));
  const chosen = rows.filter(({ id }) => ticks.chosen.includes(id));
  const events = [...new Set(chosen.map(({ eventId }) => eventId))];
  const resend = useAction(
    (call, of: readonly string[]) => call.post<{ count: number }>(`${api}/deliveries/resend`, { event_ids: of }),
    {
      onDone: ({ count }) => {
        ticks.clear();
        toast(t('dlvResentMany', { count }));
      },
    },
  );
  const columns: Column<DeliveryRow>[] = [
    {
      key: 'type',
      header: t('dlvEvent'),
      onPhone: 'title',
      cell: (row) => (
        <span className="inline-grid justify-items-start gap-0.5">
          <span className="inline-flex flex-wrap items-center gap-1.5">
            <Link href={`${base}/webhooks/deliveries/${row.id}`} className="font-semibold">
              {row.type}
            </Link>
            {row.isTest && <Badge tone="info">{t('dlvTest')}</Badge>}
          </span>
          <code className="text-[0.8125rem] font-normal whitespace-nowrap text-muted">{row.eventId}</code>
        </span>
      ),
    },
    { key: 'state', header: t('dlvState'), onPhone: 'side', cell: (row) => <DeliveryState status={row.status} /> },
    {
      key: 'lane',
      header: t('evtDelivery'),
      isExtra: true,
      onPhone: 'hidden',
      cell: (row) => t(`dlvLane_${row.lane}`),
    },
    { key: 'last', header: t('dlvLast'), onPhone: 'under', cell: (row) => outcome(row) ?? '–' },
    {
      key: 'attempts',
      header: t('evtAttemptsHead'),
      isNumeric: true,
      isExtra: true,
      onPhone: 'hidden',
      cell: (row) => row.attempts,
    },
    {
      key: 'at',
      header: t('payCreated'),
      isNumeric: true,
      onPhone: 'end',
      cell: (row) => <DateTime at={row.createdAt} inList />,
    },
  ];
  const tick = tickColumn<DeliveryRow>(t('dlvSelectAll'), ticks, ({ eventId }) => t('dlvSelect', { event: eventId }));
  return (
    <div className="rounded-xl border border-line bg-surface shadow-card">
      {canResend && rows.length > 0 && <TickAll label={t('dlvSelectAll')} ticks={ticks} />}
      <Table
        isBare
        label={t('hookTabDeliveries')}
        rows={rows}
        rowKey={(row) => row.id}
        columns={canResend ? [tick, ...columns] : columns}
        empty={empty}
        foot={foot}
      />
      <TickBar ticks={ticks}>
        <Button size="small" icon="retry" isPending={resend.isPending} onClick={() => void resend.run(events)}>
          {t('dlvResendSelected', { count: events.length })}
        </Button>
      </TickBar>
    </div>
  );
}
