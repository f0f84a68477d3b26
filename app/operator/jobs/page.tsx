// Failing and failed work: steps of the worker, items in quarantine, deliveries of webhooks, mails. A button retries
// what can safely be retried.

import { Card, Empty, PageHead } from '@/components/ui/card';
import { Pager } from '@/components/ui/pager';
import { Table } from '@/components/ui/table';
import { TabLinks } from '@/components/ui/tabs';
import { deliveryColumns, mailColumns, stepColumns } from '@/components/operator/job-columns';
import { quarantineColumns } from '@/components/operator/quarantine-columns';
import { choiceOf, hrefWith, numberOf, pagesOf, type PageQuery } from '@/components/operator/query';
import { listFailedDeliveries, listFailedMails, listSteps } from '@/lib/dashboard/operator/jobs';
import { listQuarantine } from '@/lib/dashboard/operator/quarantine';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/jobs';
const PAGE = 50;
const KINDS = ['steps', 'quarantine', 'deliveries', 'mails'] as const;

export const generateMetadata = titled('navJobs');

export default async function JobsPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('jobs.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const kind = choiceOf(query, 'show', KINDS) ?? 'steps';
  const before = numberOf(query, 'before');
  const page = { before, limit: PAGE };
  const links = KINDS.map((one) => ({
    href: hrefWith(PATH, {}, { show: one === 'steps' ? null : one }),
    label: t(`operatorJobs_${one}`),
    isCurrent: one === kind,
  }));
  const pager = (shown: number, next: string | null) => (
    <Pager {...pagesOf({ path: PATH, query, name: 'before', at: before, next })} shown={shown} />
  );
  const list = async () => {
    const common = { isBare: true, label: t(`operatorJobs_${kind}`) };
    const empty = <Empty icon="check" title={t('operatorJobsNone')} text={t(`operatorJobsNone_${kind}`)} />;
    if (kind === 'steps') {
      const rows = await listSteps(context);
      return <Table {...common} empty={empty} rows={rows} rowKey={({ step }) => step} columns={stepColumns(words)} />;
    }
    if (kind === 'quarantine') {
      const { rows, next } = await listQuarantine(context, page);
      const columns = quarantineColumns(words);
      return (
        <Table {...common} {...{ empty, rows, columns }} rowKey={({ id }) => id} foot={pager(rows.length, next)} />
      );
    }
    if (kind === 'deliveries') {
      const { rows, next } = await listFailedDeliveries(context, page);
      const columns = deliveryColumns(words);
      return (
        <Table {...common} {...{ empty, rows, columns }} rowKey={({ id }) => id} foot={pager(rows.length, next)} />
      );
    }
    const { rows, next } = await listFailedMails(context, page);
    const columns = mailColumns(words);
    return <Table {...common} {...{ empty, rows, columns }} rowKey={({ id }) => id} foot={pager(rows.length, next)} />;
  };
  return (
    <>
      <PageHead title={t('navJobs')} text={t('operatorJobsText')} />
      <TabLinks label={t('operatorByKind')} links={links} />
      <Card isFlush>{await list()}</Card>
    </>
  );
}
