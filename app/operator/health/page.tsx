// How networks and their endpoints fare, how full the address pool is, how large the signer's journal is, and whether exchange
// rates come in.

import { Badge, type Tone } from '@/components/ui/badge';
import { Card, Empty, Fact, Facts, Note, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Table, type Column } from '@/components/ui/table';
import { networkIn } from '@/components/operator/names';
import { JournalCard, PoolMeter, rateColumns } from '@/components/operator/supplies';
import { unixSeconds } from '@/lib/platform/clock';
import { readHealth, type EndpointHealth, type NetworkHealth } from '@/lib/dashboard/operator/health';
import { requirePage } from '@/lib/dashboard/page';
import type { EndpointUsage } from '@/lib/installation/status/read-usage';
import { getDashboardWords, type DashboardWords } from '@/lib/i18n/dashboard-words';

export async function generateMetadata() {
  const { t } = await getDashboardWords();
  return { title: t('navHealth') };
}

export default async function HealthPage() {
  const { context } = await requirePage('health.read');
  const [words, { networks, pool, rates, journal }] = await Promise.all([getDashboardWords(), readHealth(context)]);
  const { t } = words;
  return (
    <>
      <PageHead title={t('navHealth')} text={t('operatorHealthText')} />
      <div className="grid gap-5">
        {networks.length === 0 && (
          <Card>
            <Empty icon="health" title={t('operatorNoNetworks')} text={t('operatorNoNetworksText')} />
          </Card>
        )}
        {networks.map((one) => (
          <NetworkCard key={`${one.environment} ${one.network}`} {...{ words, one }} />
        ))}
        <Card title={t('operatorPool')} text={t('operatorPoolText')}>
          <div className="grid gap-4">
            {pool.map((one) => (
              <PoolMeter key={one.environment} {...{ words, one }} />
            ))}
          </div>
        </Card>
        {journal && <JournalCard {...{ words, journal }} />}
        {rates.length > 0 && (
          <Card title={t('operatorRates')} isFlush>
            <Table
              isBare
              label={t('operatorRates')}
              columns={rateColumns(words)}
              rows={rates}
              rowKey={({ source }) => source}
              empty={null}
            />
          </Card>
        )}
      </div>
    </>
  );
}

const NETWORK_TONES: Readonly<Record<NetworkHealth['state'], Tone>> = {
  ok: 'good',
  delayed: 'warn',
  down: 'bad',
  starting: 'info',
};

function NetworkCard({ words, one }: { words: DashboardWords; one: NetworkHealth }) {
  const { t, format } = words;
  const block = (value: number | null): string => (value === null ? '—' : format.number(value));
  return (
    <Card
      title={networkIn(t, one)}
      actions={<Badge tone={NETWORK_TONES[one.state]}>{t(`operatorNetworkState_${one.state}`)}</Badge>}
    >
      <div className="grid gap-4">
        {one.words && <Note tone={one.state === 'down' ? 'bad' : 'warn'}>{one.words}</Note>}
        {one.reconcileTrouble && (
          <Note tone="warn" title={t('operatorReconcileTrouble')}>
            {one.reconcileTrouble}
          </Note>
        )}
        <Facts>
          <Fact name={t('operatorTip')}>{block(one.tip_block)}</Fact>
          <Fact name={t('operatorFinal')}>{block(one.final_block)}</Fact>
          <Fact name={t('operatorLag')}>
            {one.lag_seconds === null ? '—' : t('operatorSeconds', { seconds: one.lag_seconds })}
          </Fact>
          <Fact name={t('operatorReconciled')}>
            {one.reconciledAt ? <DateTime at={unixSeconds(one.reconciledAt)} /> : t('operatorNever')}
          </Fact>
        </Facts>
        <div className="-mx-4 border-t border-line sm:-mx-5">
          <Table
            isBare
            label={t('operatorEndpointsOf', { network: networkIn(t, one) })}
            columns={endpointColumns(words)}
            rows={one.endpointRows}
            rowKey={({ position }) => String(position)}
            empty={<p className="px-5 py-4 text-muted">{t('operatorNoEndpoints')}</p>}
          />
        </div>
      </div>
    </Card>
  );
}

const ENDPOINT_TONES: Readonly<Record<string, Tone>> = {
  ok: 'good',
  lagging: 'warn',
  throttled: 'warn',
  failing: 'bad',
  refused: 'bad',
};

const endpointColumns = ({ t, format }: DashboardWords): readonly Column<EndpointHealth>[] => [
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
    cell: ({ message }) => <span className="text-muted">{message ?? '—'}</span>,
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

/** What was asked of an endpoint today, and what the day will come to; bad once that is more than its plan allows. */
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
