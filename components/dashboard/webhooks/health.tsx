'use client';
// A chart of an endpoint's last hours, and its pauses.

import { useMemo } from 'react';
import { Chart } from '@/components/ui/chart';
import { DateTime } from '@/components/ui/date-time';
import { Table } from '@/components/ui/table';
import { useWords } from '@/components/ui/words';
import type { Pause } from '@/lib/webhooks/endpoint/health';

/** `at`: start of the hour in Unix seconds. */
export type HealthHourFacts = { readonly at: number; readonly answered: number; readonly failed: number };

export function HealthChart({ hours }: { hours: readonly HealthHourFacts[] }) {
  const { t, format } = useWords();
  const names = useMemo(() => hours.map(({ at }) => format.minute(at)), [hours, format]);
  const series = useMemo(
    () => [
      { label: t('hookAnswered'), values: hours.map(({ answered }) => answered), meaning: 'good' as const },
      { label: t('hookFailed'), values: hours.map(({ failed }) => failed), meaning: 'bad' as const },
    ],
    [hours, t],
  );
  return <Chart label={t('hookHealth')} kind="stacked" names={names} series={series} />;
}

/** Unix seconds; `until` is null while the pause lasts. */
export type PastPause = {
  readonly from: number;
  readonly until: number | null;
  readonly reason: Pause['reason'];
  readonly replayed: number | null;
};

export function Pauses({ pauses }: { pauses: readonly PastPause[] }) {
  const { t, format } = useWords();
  return (
    <Table
      label={t('hookPauses')}
      isBare
      rows={pauses}
      rowKey={({ from }) => String(from)}
      columns={[
        {
          key: 'reason',
          header: t('payStatus'),
          onPhone: 'title',
          cell: ({ reason }) => t(`hookPauseReason_${reason}`),
        },
        { key: 'from', header: t('hookPauseFrom'), cell: ({ from }) => <DateTime at={from} inList /> },
        {
          key: 'until',
          header: t('hookPauseTo'),
          cell: ({ until }) => (until === null ? t('hookPauseOpen') : <DateTime at={until} inList />),
        },
        {
          key: 'replayed',
          header: t('hookPauseReplayed'),
          isNumeric: true,
          cell: ({ replayed }) => (replayed === null ? '–' : format.number(replayed)),
        },
      ]}
      empty={null}
    />
  );
}
