// Proof of reserves: what the chains hold beside what is owed to stores, and up to which block.

import { Card, Empty, Note, PageHead } from '@/components/ui/card';
import { Table } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { environmentTabs } from '@/components/operator/environment-tabs';
import { hrefWith, type PageQuery } from '@/components/operator/query';
import { reserveColumns } from '@/components/operator/treasury/reserve-columns';
import { SignedProof } from '@/components/operator/treasury/signed-proof';
import { readReserveRows } from '@/lib/dashboard/operator/reserves';
import { requirePage } from '@/lib/dashboard/page';
import { listProofs } from '@/lib/ledger/proofs/document';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/treasury/reserves';

export const generateMetadata = titled('reserves');

export default async function ReservesPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('health.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const { environment, links } = environmentTabs({ path: PATH, query, config: context.config, t });
  const [rows, [last]] = await Promise.all([
    readReserveRows(context, environment),
    listProofs(context.pool, environment, 1),
  ]);
  return (
    <>
      <PageHead
        title={t('reserves')}
        text={t('reservesText')}
        back={{ href: hrefWith('/operator/treasury', { environment: query.environment }, {}), label: t('navTreasury') }}
      />
      <TabLinks label={t('navEnvironment')} links={links} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {context.config.DIRECT_SETTLEMENT && <Note tone="info">{t('dirReserves')}</Note>}
        <Card isFlush>
          <Table
            isBare
            cardsBelow="xl"
            label={t('reserves')}
            columns={reserveColumns(words)}
            rows={rows}
            rowKey={({ network, currency }) => `${network} ${currency}`}
            empty={<Empty icon="balances" title={t('reservesNone')} text={t('reservesNoneText')} />}
          />
        </Card>
        <SignedProof {...{ words, environment }} lastAt={last?.madeAt ?? null} />
      </div>
    </>
  );
}
