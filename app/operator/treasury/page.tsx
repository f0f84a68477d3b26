// Where the money is, network by network: at deposit addresses, in open sweeps, swept, and in the wallets; why nothing is swept now; what
// goes from the refund wallet to the cold wallet; and what the wallets held over time.

import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { TabLinks } from '@/components/ui/tabs';
import { environmentTabs } from '@/components/operator/environment-tabs';
import { choiceOf, hrefWith, type PageQuery } from '@/components/operator/query';
import { ColdCard } from '@/components/operator/treasury/cold-card';
import { LevelsCard } from '@/components/operator/treasury/levels-card';
import { NetworkCard } from '@/components/operator/treasury/network-card';
import { Totals } from '@/components/operator/treasury/totals';
import { readCold } from '@/lib/dashboard/operator/treasury/cold';
import { readPlaces } from '@/lib/dashboard/operator/treasury/places';
import { readTreasury } from '@/lib/dashboard/operator/treasury/read';
import { readHistory, SPANS } from '@/lib/dashboard/operator/treasury/wallet-history';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/treasury';

export const generateMetadata = titled('navTreasury');

export default async function TreasuryPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('health.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const { environment, links } = environmentTabs({ path: PATH, query, config: context.config, t });
  const span = choiceOf(query, 'span', SPANS) ?? 'week';
  const [{ totals, networks }, places, cold, history] = await Promise.all([
    readTreasury(context, environment),
    readPlaces(context, environment),
    readCold(context, environment),
    readHistory(context, environment, span),
  ]);
  const spans = SPANS.map((one) => ({
    href: `${hrefWith(PATH, query, { span: one === 'week' ? null : one })}#levels`,
    label: t(`levelsSpan_${one}`),
    isCurrent: one === span,
  }));
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
          <NetworkCard
            key={one.network}
            {...{ words, one }}
            places={places.find(({ network }) => network === one.network)}
          />
        ))}
        {cold.map((row) => (
          <ColdCard key={`${row.network} ${row.currency}`} {...{ words, row }} />
        ))}
        {networks.length > 0 && <LevelsCard {...{ words, span, history }} links={spans} />}
      </div>
    </>
  );
}
