// Proof of reserves: what the chains hold beside what is owed to stores, and up to which block.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { Table } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { choiceOf, hrefWith, type PageQuery } from '@/components/operator/query';
import { reserveColumns } from '@/components/operator/treasury/reserve-columns';
import { readReserveRows } from '@/lib/dashboard/operator/reserves';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/treasury/reserves';
const ENVIRONMENTS = ['live', 'test'] as const;

export const generateMetadata = titled('reserves');

export default async function ReservesPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('health.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const usual = context.config.SANDBOX_ORIGIN !== undefined ? 'test' : 'live';
  const environment = choiceOf(query, 'environment', ENVIRONMENTS) ?? usual;
  const rows = await readReserveRows(context, environment);
  const links = ENVIRONMENTS.map((one) => ({
    href: hrefWith(PATH, query, { environment: one === usual ? null : one }),
    label: t(one === 'live' ? 'navLive' : 'navTest'),
    isCurrent: one === environment,
  }));
  return (
    <>
      <PageHead
        title={t('reserves')}
        text={t('reservesText')}
        back={{ href: hrefWith('/operator/treasury', { environment: query.environment }, {}), label: t('navTreasury') }}
      />
      <TabLinks label={t('navEnvironment')} links={links} />
      <Card isFlush>
        <Table
          isBare
          label={t('reserves')}
          columns={reserveColumns(words)}
          rows={rows}
          rowKey={({ network, currency }) => `${network} ${currency}`}
          empty={<Empty icon="balances" title={t('reservesNone')} text={t('reservesNoneText')} />}
        />
      </Card>
    </>
  );
}
