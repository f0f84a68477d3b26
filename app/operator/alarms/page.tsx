// Open and past alarms: open ones first, and of those the unacknowledged before the others.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { Pager } from '@/components/ui/pager';
import { Table } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { alarmColumns } from '@/components/operator/alarm-columns';
import { choiceOf, hrefWith, numberOf, pagesOf, type PageQuery } from '@/components/operator/query';
import { listClosedAlarms, listOpenAlarms } from '@/lib/dashboard/operator/alarms';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/alarms';
const PAGE = 50;
const LISTS = ['open', 'closed'] as const;

export const generateMetadata = titled('navAlarms');

export default async function AlarmsPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('health.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const list = choiceOf(query, 'show', LISTS) ?? 'open';
  const before = numberOf(query, 'before');
  const { rows, next } =
    list === 'open'
      ? { rows: await listOpenAlarms(context), next: null }
      : await listClosedAlarms(context, { before, limit: PAGE });
  const links = LISTS.map((one) => ({
    href: hrefWith(PATH, {}, { show: one === 'open' ? null : one }),
    label: t(`alarms_${one}`),
    isCurrent: one === list,
  }));
  return (
    <>
      <PageHead title={t('navAlarms')} text={t('alarmsText')} />
      <TabLinks label={t('operatorByState')} links={links} />
      <Card isFlush>
        <Table
          isBare
          label={t('navAlarms')}
          columns={alarmColumns(words)}
          rows={rows}
          rowKey={({ id }) => id}
          empty={<Empty icon="check" title={t('alarmsNone')} text={t('alarmsNoneText')} />}
          foot={
            list === 'closed' && (
              <Pager {...pagesOf({ path: PATH, query, name: 'before', at: before, next })} shown={rows.length} />
            )
          }
        />
      </Card>
    </>
  );
}
