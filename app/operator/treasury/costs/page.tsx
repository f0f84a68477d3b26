// What transactions of the service cost, by month and network, in the coin of the network.

import { environmentTabs } from '@/components/operator/environment-tabs';
import { hrefWith, type PageQuery } from '@/components/operator/query';
import { costColumns } from '@/components/operator/treasury/cost-columns';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { Table } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { readCostRows } from '@/lib/dashboard/operator/treasury/costs';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/treasury/costs';

export const generateMetadata = titled('costs');

export default async function CostsPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('health.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const { environment, links } = environmentTabs({ path: PATH, query, config: context.config, t });
  const rows = await readCostRows(context, environment);
  return (
    <>
      <PageHead
        title={t('costs')}
        text={t('costsText')}
        back={{ href: hrefWith('/operator/treasury', { environment: query.environment }, {}), label: t('navTreasury') }}
        actions={
          <ButtonLink href={`/api/dashboard/operator/costs/${environment}`} icon="download" download>
            {t('payExport')}
          </ButtonLink>
        }
      />
      <TabLinks label={t('navEnvironment')} links={links} />
      <Card isFlush>
        <Table
          isBare
          cardsBelow="lg"
          label={t('costs')}
          columns={costColumns(words)}
          rows={rows}
          rowKey={({ month, network, coin }) => `${month} ${network} ${coin}`}
          empty={<Empty icon="balances" title={t('costsNone')} text={t('costsNoneText')} />}
        />
      </Card>
    </>
  );
}
