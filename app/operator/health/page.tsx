// The networks, one line each, the service objectives, the ages of waiting work, the address pool's fill, the size of the signer's journal, the
// last proven restore of a backup, and exchange rate sources.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { Table } from '@/components/ui/table';
import { NetworkHead, NetworkLine } from '@/components/operator/network-line';
import { FiguresCard, ObjectivesCard } from '@/components/operator/objectives';
import { JournalCard, PoolMeter, rateColumns, RestoresCard } from '@/components/operator/supplies';
import { unixSeconds } from '@/lib/platform/clock';
import { readFigures } from '@/lib/dashboard/operator/figures';
import { readHealth } from '@/lib/dashboard/operator/health';
import { readWallets } from '@/lib/dashboard/operator/wallets';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { readObjectives } from '@/lib/installation/status/objectives';

export const generateMetadata = titled('navHealth');

export default async function HealthPage() {
  const { context } = await requirePage('health.read');
  const [words, { networks, pool, rates, journal, restores }, { wallets }, objectives, figures] = await Promise.all([
    getDashboardWords(),
    readHealth(context),
    readWallets(context),
    readObjectives(context),
    readFigures(context),
  ]);
  const now = unixSeconds(context.clock.now());
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
        {networks.length > 0 && (
          <Card title={t('operatorNetworks')} isFlush>
            <NetworkHead words={words} />
            {networks.map((one) => (
              <NetworkLine
                key={`${one.environment} ${one.network}`}
                {...{ words, one, now }}
                wallet={wallets.find(
                  ({ environment, network }) => environment === one.environment && network === one.network,
                )}
              />
            ))}
          </Card>
        )}
        <ObjectivesCard {...{ words, objectives }} />
        <FiguresCard {...{ words, figures }} />
        <Card title={t('operatorPool')} text={t('operatorPoolText')}>
          <div className="grid gap-4">
            {pool.map((one) => (
              <PoolMeter key={one.environment} {...{ words, one }} />
            ))}
          </div>
        </Card>
        {journal && <JournalCard {...{ words, journal }} />}
        <RestoresCard {...{ words, restores }} maxDays={context.config.RESTORE_PROOF_DAYS} />
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
