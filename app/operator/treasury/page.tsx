// Where the money is, network by network: at deposit addresses, in open sweeps, and swept; why nothing is swept now; and what goes from
// the refund wallet to the cold wallet.

import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { TabLinks } from '@/components/ui/tabs';
import { environmentTabs } from '@/components/operator/environment-tabs';
import { hrefWith, type PageQuery } from '@/components/operator/query';
import { ColdCard } from '@/components/operator/treasury/cold-card';
import { NetworkCard } from '@/components/operator/treasury/network-card';
import { Totals } from '@/components/operator/treasury/totals';
import { readCold } from '@/lib/dashboard/operator/treasury/cold';
import { readTreasury } from '@/lib/dashboard/operator/treasury/read';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/treasury';

export const generateMetadata = titled('navTreasury');

export default async function TreasuryPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('health.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const { environment, links } = environmentTabs({ path: PATH, query, config: context.config, t });
  const [{ totals, networks }, cold] = await Promise.all([
    readTreasury(context, environment),
    readCold(context, environment),
  ]);
  return (
    <>
      <PageHead
        title={t('navTreasury')}
        text={t('treasuryText')}
        actions={
          <>
            <ButtonLink href={hrefWith(`${PATH}/sweeps`, query, {})} icon="balances">
              {t('treasurySweeps')}
            </ButtonLink>
            <ButtonLink href={hrefWith(`${PATH}/reserves`, query, {})} icon="check">
              {t('reserves')}
            </ButtonLink>
            <ButtonLink href={hrefWith(`${PATH}/costs`, query, {})} icon="balances">
              {t('costs')}
            </ButtonLink>
            <ButtonLink href={hrefWith(`${PATH}/fees`, query, {})} icon="payments">
              {t('rateTitle')}
            </ButtonLink>
            <ButtonLink href="/operator/wallets" icon="wallet">
              {t('navWallets')}
            </ButtonLink>
          </>
        }
      />
      <TabLinks label={t('navEnvironment')} links={links} />
      <div className="grid gap-5">
        {networks.length === 0 && (
          <Card>
            <Empty icon="health" title={t('operatorNoNetworks')} text={t('operatorNoNetworksText')} />
          </Card>
        )}
        {networks.length > 0 && <Totals {...{ words, totals }} />}
        {networks.map((one) => (
          <NetworkCard key={one.network} {...{ words, one }} />
        ))}
        {cold.map((row) => (
          <ColdCard key={`${row.network} ${row.currency}`} {...{ words, row }} />
        ))}
      </div>
    </>
  );
}
