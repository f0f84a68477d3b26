// The audit log: each actor and action, newest first; an integrity check, and the export of the whole log.

import { PageHead } from '@/components/ui/card';
import { FilterBar } from '@/components/ui/filter-bar';
import { Pager } from '@/components/ui/pager';
import { SearchBox } from '@/components/ui/search-box';
import { AuditTable } from '@/components/operator/audit-table';
import { AuditTools } from '@/components/operator/audit-tools';
import { choiceOf, numberOf, pagesOf, textOf, type PageQuery } from '@/components/operator/query';
import { listAuditShown } from '@/lib/dashboard/operator/audit';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/audit';
const PAGE = 50;
/** The first parts of actions. */
const GROUPS = [
  'store',
  'key',
  'webhook',
  'member',
  'refund',
  'case',
  'signing',
  'difference',
  'user',
  'account',
  'delivery',
  'mail',
] as const;

export const generateMetadata = titled('navAudit');

export default async function AuditPage({ searchParams }: { searchParams: PageQuery }) {
  const { context } = await requirePage('audit.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const action = choiceOf(query, 'action', GROUPS);
  const store = textOf(query, 'store');
  const before = numberOf(query, 'before');
  const { entries, next } = await listAuditShown(context, {
    limit: PAGE,
    ...(action === null ? {} : { action }),
    ...(store === null ? {} : { storeId: store.trim() }),
    ...(before === null ? {} : { before: BigInt(before) }),
  });
  return (
    <>
      <PageHead title={t('navAudit')} text={t('operatorAuditText')} />
      <AuditTools />
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <SearchBox name="store" label={t('operatorAuditStore')} />
        <FilterBar
          filters={[
            {
              kind: 'choice',
              name: 'action',
              label: t('operatorAction'),
              options: GROUPS.map((group) => ({ value: group, label: t(`operatorAudit_${group}`) })),
            },
          ]}
        />
      </div>
      <AuditTable
        words={words}
        entries={entries}
        foot={
          <Pager
            {...pagesOf({ path: PATH, query, name: 'before', at: before, next: next?.toString() ?? null })}
            shown={entries.length}
          />
        }
      />
    </>
  );
}
