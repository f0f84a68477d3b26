// Where the money is, network by network: at deposit addresses, in open sweeps, swept, and in the wallets; why nothing is swept now; what
// goes from the refund wallet to the cold wallet; and what the wallets held over time.

import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { TabLinks } from '@/components/ui/tabs';
import { environmentTabs } from '@/components/operator/environment-tabs';
import { networkName } from '@/components/operator/names';
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
        {networks.length > 0 && (
          <nav aria-label={t('treasuryContents')} className="flex flex-wrap gap-x-5 gap-y-1">
            {networks.map(({ network }) => (
              <Link key={network} href={`#${network}`} className="py-1 text-accent">
                {networkName(t, network)}
              </Link>
            ))}
            <Link href="#levels" className="py-1 text-accent">
              {t('levels')}
            </Link>
          </nav>
        )}
        {networks.map((one) => (
          <div key={one.network} id={one.network} className="grid gap-5">
            <NetworkCard {...{ words, one }} places={places.find(({ network }) => network === one.network)} />
            <div className="grid items-start gap-5 empty:hidden xl:has-[>:nth-child(2)]:grid-cols-2">
              {cold
                .filter(({ network }) => network === one.network)
                .map((row) => (
                  <ColdCard key={row.currency} {...{ words, row }} />
                ))}
            </div>
          </div>
        ))}
        {networks.length > 0 && <LevelsCard {...{ words, span, history }} links={spans} />}
      </div>
    </>
  );
}
