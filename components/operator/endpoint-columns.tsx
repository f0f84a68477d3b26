// The endpoints of a network as rows: the health and usage of each.

import { Badge, type Tone } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import type { Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { EndpointHealth } from '@/lib/dashboard/operator/health';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { EndpointUsage } from '@/lib/installation/status/read-usage';

const ENDPOINT_TONES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  lagging: 'warn',
  throttled: 'warn',
  failing: 'bad',
  refused: 'bad',
};

export const endpointColumns = ({ t, format }: DashboardWords): readonly Column<EndpointHealth>[] => [
  {
    key: 'name',
    header: t('operatorEndpoint'),
    onPhone: 'title',
    cell: ({ position }) => t('operatorEndpointName', { position }),
  },
  {
    key: 'state',
    header: t('operatorState'),
    onPhone: 'side',
    cell: ({ state }) => (
      <Badge tone={ENDPOINT_TONES[state] ?? 'plain'}>{t(`operatorEndpoint_${state}` as 'operatorEndpoint_ok')}</Badge>
    ),
  },
  {
    key: 'message',
    header: t('operatorMessage'),
    onPhone: 'wide',
    cell: ({ message }) => message && <span className="wrap-anywhere text-muted">{message}</span>,
  },
  {
    key: 'height',
    header: t('operatorTip'),
    isNumeric: true,
    cell: ({ height }) => (height === null ? '—' : format.number(BigInt(height))),
  },
  {
    key: 'usage',
    header: t('operatorUsage'),
    isNumeric: true,
    cell: ({ usage }) => usage && <UsageToday {...{ words: { t, format }, usage }} />,
  },
  {
    key: 'since',
    header: t('operatorSince'),
    isNumeric: true,
    cell: ({ since }) => <DateTime at={unixSeconds(since)} inList />,
  },
];

/** The requests of today and the forecast for the whole day; bad once that is above the plan's limit. */
function UsageToday({
  words: { t, format },
  usage,
}: {
  words: Pick<DashboardWords, 't' | 'format'>;
  usage: EndpointUsage;
}) {
  const { units, unitsPerDay, forecast } = usage;
  const number = (value: number): string => format.number(Math.round(value));
  const isTooMuch = unitsPerDay !== null && (forecast ?? units) > unitsPerDay;
  return (
    <span className="grid">
      <span>
        {unitsPerDay === null
          ? number(units)
          : t('operatorUsageOf', { units: number(units), limit: number(unitsPerDay) })}
      </span>
      {forecast !== null && (
        <span className={isTooMuch ? 'text-bad' : 'text-muted'}>
          {t('operatorUsageForecast', { units: number(forecast) })}
        </span>
      )}
    </span>
  );
}
