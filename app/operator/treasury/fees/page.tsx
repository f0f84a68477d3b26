// What payouts cost all stores, and what the operator has earned.

import { environmentTabs } from '@/components/operator/environment-tabs';
import { hrefWith, type PageQuery } from '@/components/operator/query';
import { networkName } from '@/components/operator/names';
import { PayoutRates } from '@/components/operator/payout-rates';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { Money } from '@/components/ui/money';
import { Table, type Column } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { payoutCostsOf, rateDecisionsOf } from '@/lib/dashboard/payouts/rates';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { readWalletBalances, type WalletBalance } from '@/lib/ledger/balances';
import { centsToText } from '@/lib/money/amounts';
import { presentedNetworks } from '@/lib/networks/registry';
import { decimalsIn } from '@/lib/refunds/request/tokens';

const PATH = '/operator/treasury/fees';

export const generateMetadata = titled('rateTitle');

export default async function FeesPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('payouts.rates');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const { environment, links } = environmentTabs({ path: PATH, query, config: context.config, t });
  const [decisions, costs, balances] = await Promise.all([
    rateDecisionsOf(context, null),
    payoutCostsOf(context, environment),
    readWalletBalances(context.pool, environment, decimalsIn(context.config, environment)),
  ]);
  const earned = balances.filter(({ fees, costRecovery }) => fees.cents > 0n || costRecovery.cents > 0n);
  return (
    <>
      <PageHead
        title={t('rateTitle')}
        back={{ href: hrefWith('/operator/treasury', { environment: query.environment }, {}), label: t('navTreasury') }}
      />
      <div className="grid gap-5">
        <PayoutRates
          {...{ words, decisions, costs }}
          storeId={null}
          networks={presentedNetworks(context.config)}
          noticeHours={context.config.PAYOUT_RATE_NOTICE_HOURS}
        />
        <Card title={t('rateEarned')} text={t('rateEarnedText')}>
          <div className="grid gap-4">
            <TabLinks label={t('navEnvironment')} links={links} />
            <Table
              isBare
              label={t('rateEarned')}
              columns={earnedColumns(words)}
              rows={earned}
              rowKey={({ network, currency }) => `${network} ${currency}`}
              empty={<Empty icon="balances" title={t('rateEarnedNone')} text={t('rateEarnedNoneText')} />}
            />
          </div>
        </Card>
      </div>
    </>
  );
}

const earnedColumns = ({ t }: DashboardWords): readonly Column<WalletBalance>[] => [
  {
    key: 'asset',
    header: t('operatorAsset'),
    onPhone: 'title',
    cell: ({ network, currency }) => `${currency} · ${networkName(t, network)}`,
  },
  {
    key: 'fees',
    header: t('rateFees'),
    isNumeric: true,
    cell: ({ fees, currency }) => <Money amount={centsToText(fees.cents)} currency={currency} />,
  },
  {
    key: 'costs',
    header: t('rateNetworkCosts'),
    isNumeric: true,
    cell: ({ costRecovery, currency }) => <Money amount={centsToText(costRecovery.cents)} currency={currency} />,
  },
];
